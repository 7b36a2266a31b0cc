/* Annotations for chronos. For a compiler they are nothing: their arguments are not even evaluated.
 * chronos reads them as calls; z and n are numbers, or expressions that it evaluates where they stand.
 *
 *   PIC_proba(z);  chronos_probability(z);
 *       The condition of the next branch of the same block is true with probability z: of the whole
 *       `if (a && b)`, not of its parts. Of a `switch`, the first case is taken with probability z, the
 *       other labels share the rest.
 *   if (PIC_proba(z), a < b)
 *       The same within an expression, of the smallest branch around it; on the right of && and || of what
 *       stands there: if ((PIC_proba(0.5), a) && (PIC_proba(0.1), b)).
 *   chronos_iterations(n);
 *       The next loop runs n times each time it is reached, on average.
 *
 * What chronos can count exactly it counts; it tells where that differs from what is written here.
 */
#ifndef CHRONOS_H
#define CHRONOS_H

#ifdef __CHRONOS__
void PIC_proba(double probability);
void chronos_probability(double probability);
void chronos_iterations(double iterations);
#else
#define PIC_proba(probability) ((void)0)
#define chronos_probability(probability) ((void)0)
#define chronos_iterations(iterations) ((void)0)
#endif

#endif
