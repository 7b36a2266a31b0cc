/* Annotations for chronos. For a compiler they do nothing; chronos reads them as calls.
 *
 *   PIC_proba(z);  chronos_probability(z);   the next branch is taken with probability z
 *   if (PIC_proba(z), a < b)                 the same, inside the condition
 *   chronos_iterations(n);                   the next loop runs n times per entry, on average
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
