// The inverse of pack.rs.

function unpack(packed) {
  const shared = packed.shared;
  const column = (values, rows) => {
    if (values && values.$s !== undefined) return column(shared[values.$s], rows);
    if (values && values.$v !== undefined && !Array.isArray(values)) {
      const one = value(values.$v);
      return Array(rows).fill(one);
    }
    return value(values);
  };
  const table = packed => {
    const columns = packed.$c.map(values => column(values, packed.$n));
    const alike = packed.$u ? value(packed.$u) : [];
    const row = (_, at) => Object.assign({}, alike[at], Object.fromEntries(packed.$k.map((key, number) => [key, columns[number][at]])));
    return Array.from({ length: packed.$n }, row);
  };
  const runs = list => {
    const all = [];
    for (let at = 0; at < list.length; at += 2) for (let n = 0; n < list[at + 1]; n++) all.push(list[at]);
    return all;
  };
  const lists = packed => {
    const rows = value(packed.$t);
    let at = 0;
    return packed.$l.map(length => rows.slice(at, at += length));
  };
  const steps = packed => {
    let sum = 0;
    return packed.$i.map(step => { sum += step; return sum / packed.$p; });
  };
  const value = packed => {
    if (packed === null || typeof packed !== "object") return packed;
    if (Array.isArray(packed)) return packed.map(value);
    if (packed.$k) return table(packed);
    if (packed.$l) return lists(packed);
    if (packed.$r) return runs(packed.$r);
    if (packed.$p) return steps(packed);
    if (packed.$s !== undefined) return value(shared[packed.$s]);
    if (packed.$d) { const texts = value(packed.$d); return packed.$i.map(at => texts[at]); }
    return Object.fromEntries(Object.entries(packed).map(([key, inner]) => [key, value(inner)]));
  };
  return value(packed.data);
}

const DATA = unpack(JSON.parse(document.getElementById("data").textContent));
