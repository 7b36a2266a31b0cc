#include <stdio.h>
#include <stdlib.h>
#include <math.h>
int main(void){
 int s=0;
 long double x = 1; while (x + 1 > x) { x *= 2; s++; }
 __float128 q = 1; while (q + 1 > q) { q *= 2; s++; }
 unsigned __int128 u = 1; while (u) { u <<= 1; s++; }
 s += sizeof(__int128) + sizeof(long double);
 for (long double y=0;y<1;y+=0.1L) s++;
 long double t=0; for(int i=0;i<1000;i++) t+=0.001L;
 if(t==1.0L) s++; else if(t<1) s+=2; else s+=3;
 unsigned __int128 m = (unsigned __int128)0xfedcba9876543210u * 0x123456789abcdefu + 12345;
 s += (int)(m >> 64) & 255; s += (int)(m % 1000007) & 255;
 __int128 d = -(__int128)m / 777; s += (int)d & 127;
 long double r = m; s += (int)fmodl(0,1) + (long)(r / 1e30L) % 7;
 union { long double l; unsigned char b[16]; } v; v.l = 0.1L; s += v.b[0] + v.b[9];
 return s & 255; }
