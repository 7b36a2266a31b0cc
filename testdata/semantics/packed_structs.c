/* Sizes and bit-fields of packed structs: #pragma pack, packed, aligned. */
#include <string.h>
#pragma pack(push,1)
struct a{char c;int x;double d;};
struct c{int a:7; int b:30; int c:3; long long d:60;};
#pragma pack(pop)
struct n{char c; int a:3; int b:32; char d;} __attribute__((packed));
struct r{char c; int a:3; int b:30; long long d:62;} __attribute__((packed, aligned(2)));
struct o{char c; int a:3; int :5; int b:13; char d;} __attribute__((packed));
static struct r still={1,2,-12345678,1234567890123456789LL};
int main(void){
 int s=0;
 for(unsigned i=0;i<sizeof(struct a);i++) s++;
 for(unsigned i=0;i<sizeof(struct r)+sizeof(struct o)*100;i++) s++;
 struct n x={1,2,-123456789,7}; x.b-=5;
 for(int i=0;i<-x.b%1000+x.a+x.c+x.d;i++) s++;
 struct r y={1,2,-12345678,1234567890123456789LL}; y.d+=x.b; y.b/=3;
 for(int i=0;i<y.d%1000-y.b%100+y.a+y.c;i++) s++;
 for(int i=0;i<still.d%1000-still.b%100+still.a+still.c;i++) s++;
 struct o z={1,-2,77,9}; z.b+=z.a;
 for(int i=0;i<z.b+z.c+z.d;i++) s++;
 struct c w={-3,1<<28,2,-1LL<<50}; w.b+=w.a;
 for(int i=0;i<w.b%1000-w.d%100+w.c;i++) s++;
 unsigned char b[16]; memset(b,0,16); memcpy(b,&y,sizeof y); int t=0; for(int i=0;i<16;i++) t+=b[i];
 for(int i=0;i<t;i++) s++;
 return s>>3&255;
}
