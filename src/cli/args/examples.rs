//! Examples at the end of the help of each command.

pub const PREDICT_EXAMPLES: &str = "Examples:
  chronos predict pi.c -n 4    (on this processor)
  chronos predict pi.c -n 4 --machine zen5 --network ethernet-1000
  chronos predict solver.c grid.c -Iinclude -n 16 --machine here.json --network ethernet-1000 -- 1000 50
  chronos predict pi.c -n 2,4,8 --machine a.json --machine b.json --format json -o report.json
  chronos predict lu.c --machine a.json -n 1..64x2 --sweep N=500,1000,2000 --resume results
  chronos predict pi.c -n 4 --machine a.json --machine b.json --html report.html
  chronos predict sort.c -n 4 --prob sort.c:31=0.25 --iterations sort.c:40=12
  chronos predict lu.c --machine here.json --symbolic N
  chronos predict build/compile_commands.json src -n 4 --machine here.json";

pub const COMPARE_EXAMPLES: &str = "Examples:
  chronos compare ring.c tree.c --machine a.json --machine b.json -n 2,4,8,16
  chronos compare ring.c tree.c --machine a.json -n 1..64x2 --html compare.html
  chronos compare --program old=solver.c,grid.c --program new=solver2.c,grid.c --machine a.json --sweep N=100..1600x2
  chronos compare old.json new.json --fail-over 5%    (reports that predict --format json wrote; for CI)";

pub const SCALE_EXAMPLES: &str = "Examples:
  chronos scale jacobi.c --machine epyc-zen5-gcc12-O2 --network ethernet-1000
  chronos scale jacobi.c --machine a.json -n 2..64x2 --to 65536 --verify 1024,4096
  chronos scale --from measured.csv    (columns tasks and total_s)
  chronos scale --model flat --r 10,50,100 -n 2..20";

pub const WHATIF_EXAMPLES: &str = "Examples:
  chronos whatif solver.c -n 16 --machine a.json    (what is worth doing, and the efficiencies)
  chronos whatif solver.c -n 16 --machine a.json zero=exchange speed=relax:2 speed=solver.c:120:4
  chronos whatif solver.c -n 4 --machine a.json place=0,0,1,1 place=4/2 place=best:2 network=ethernet-1000
  chronos whatif server.c -n 4 --machine a.json move=serve:0->2,3 \"balance + ideal-network\" overlap node=3:2
  chronos whatif solver.c -n 4,8,16 --machine a.json --show efficiency,tolerance";

pub const RECORD_EXAMPLES: &str = "Examples:
  chronos record julia.c -n 4 -o julia.rec -- 1000
  chronos record --exe ./solver -n 16 --mpirun \"mpirun -np {n} -hostfile nodes\" -o solver.rec -- input.dat
  chronos predict --recorded julia.rec --network ethernet-1000 --model paper";

pub const REPORT_EXAMPLES: &str = "Examples:
  chronos predict pi.c -n 4 --machine pentium2-350 --format json -o report.json
  chronos report report.json -o report.html";

pub const CHECK_EXAMPLES: &str = "Examples:
  chronos check pi.c -n 4
  chronos check solver.c grid.c -Iinclude -n 16 -- 1000 50";

pub const COUNT_EXAMPLES: &str = "Examples:
  chronos count solver.c grid.c -n 4 -- 1000 50
  chronos count solver.c -n 4 --function relax
  chronos count solver.c -n 2,4,8 --sweep N=100,200 --format csv -o counts.csv
  chronos count sort.c --prob sort.c:31=0.25 --format json -o counts.json
  chronos count sort.c --write-assumptions sort.json    (fill in sort.json, then)
  chronos count sort.c --assume sort.json
  chronos count sort.c -n 2 --strict > /dev/null && echo every count is exact";

pub const VALIDATE_EXAMPLES: &str = "Examples:
  chronos validate solver.c grid.c -Iinclude --machine here.json -- 1000 50
  chronos validate lu.c --cc \"gcc -O2\" -DN=500
  chronos validate cg.c --machine here.json -n 2 --mpicc mpicc --mpirun \"mpirun -np {n}\"
  chronos validate lu.c --machine here.json --format json -o validation.json";

pub const INSTRUMENT_EXAMPLES: &str = "Examples:
  chronos instrument sort.c -o traced    (then, in traced:)
  cc -O2 *.c -o sort && CHRONOS_TRACE=../sort.trace ./sort
  chronos instrument solver.c -n 4 -o traced    (then, in traced:)
  mpicc -O2 -DCHRONOS_WITH_MPI *.c -lm && CHRONOS_TRACE=../solver.trace mpirun -np 4 ./a.out";

pub const TRACE_EXAMPLES: &str = "Examples:
  chronos trace sort.c -o sort.trace -- 100000
  chronos trace solver.c -n 4 --mpicc \"mpicc -O2\" -o solver.trace
  chronos predict solver.c -n 4 --trace solver.trace --machine here.json";

pub const RUN_EXAMPLES: &str = "Examples:
  chronos run solver.c -n 4 --network ethernet-1000 -- 100000
  chronos run solver.c -n 64 --time predicted --machine here.json --html solver.html
  chronos run solver.c -n 4 -j 1 --slower 2.5";

pub const CALIBRATE_EXAMPLES: &str = "Examples:
  chronos calibrate --cc \"gcc -O2\" -o here.json
  chronos calibrate --mpirun \"mpirun -np {n}\" --mpicc mpicc -o network.json
  chronos calibrate --mpirun \"srun -N {n} -n {n}\" --tasks 2,4,8 -o cluster.json";

pub const REPLAY_EXAMPLES: &str = "Examples:
  chronos replay allreduce.goal --network ethernet-1000
  chronos replay allreduce.goal --network loggops:L=2500,o=1500,g=1000,G=6,O=0,S=65535
  chronos replay stencil.goal --network ethernet-1000 --tasks-per-node 4 --trace-out chrome=stencil.json";

pub const MACHINE_EXAMPLES: &str = "Examples:
  chronos machine list
  chronos machine show pentium2-350 > mine.json
  chronos machine check mine.json
  chronos machine diff epyc-zen5-gcc12-O0 mine.json
  chronos machine scale mine.json fp=4 memory.bandwidth=2 clock=1.5 -o future.json
  chronos machine refit mine.json -o mine.json";

pub const NETWORK_EXAMPLES: &str = "Examples:
  chronos network list
  chronos network show ethernet-100 > mine.json
  chronos network check mine.json";

pub const LSP_EXAMPLES: &str = "Examples:
  chronos lsp
  chronos lsp -- -n 4 --machine native
  chronos lsp -- --build 'make clean; make' -n 8";
