/* The order in which operands, arguments and both sides of assignments are evaluated, where gcc has a fixed one. */
#include <stdio.h>
int log_[64], n; int g[64]; int note(int x) { log_[n++] = x; return x; } unsigned char nc(int x) { log_[n++] = x; return x; } unsigned nu(int x) { log_[n++] = x; return x; }
struct S { int a[5]; } s[9], t; struct S mk(int x) { log_[n++] = x; return t; } int *pf(int x) { log_[n++]=x; return g+x; }
int gl; int change(void){ gl=5; return 1; }
void t1(void){ g[note(1)] = note(note(2)+1); }
void t2(void){ s[note(1)] = s[note(2)]; }
void t3(void){ s[note(1)] = mk(note(2)); }
void t4(void){ g[note(1)] = *pf(2); }
void t5(void){ g[note(1)] = (g[note(2)] = note(3)); }
void t7(void){ *pf(1) = note(2); }
void t8(void){ pf(1)[note(2)] = note(3); }
void t10(void){ gl = 1; g[5]=g[1]=0; g[gl] = change()+1; log_[0]=g[1]; log_[1]=g[5]; }
void t11(void){ g[note(1)] = nu(2); }
void t13(void){ g[note(1)] = pf(2)[note(3)]; }
void t14(void){ g[note(1)] = g[note(2)] ; }
void t15(void){ s[note(1)].a[note(2)] = s[note(3)].a[note(4)]+1 ; }
void t16(void){ g[note(1)] += note(2); }
void t17(void){ g[note(1)] += note(2)+1; }
void t18(void){ g[note(1)]++; }
void t19(void){ int x = note(1) + note(2) * note(3) - (note(4) ? note(5): 0); }
void t20(void){ note(note(1) + note(2)*3); note(nc(3)+nc(4)); }
void t21(void){ g[pf(1)[note(2)]] = g[note(3)]; }
void t22(void){ int *p = g; gl=1; g[5]=g[1]=0; p[gl] = change(); log_[0]=g[1]; log_[1]=g[5]; }
void t23(void){ log_[0] = note(1) < note(2); log_[1] = log_[0]; }
void t24(void){ note(note(1) + (note(2), gl)); }
void t25(void){ note(note(1) - ~(nc(2), note(3)) * 2); }
void t26(void){ note((note(1), note(2)) == (long)(note(3), 4)); }
void t27(void){ note(note(1) + (note(2) << (note(3), 1))); }
void t28(void){ gl = 1; log_[0] = gl + (change(), 10); log_[1] = note(1) + g[(note(2), 3)]; }
void t29(void){ note(note(1) + (gl ? (note(2), 3) : 4)); }

int main(void){
#define T(k) void t##k(void); n=0; t##k(); printf("t%d: %d %d %d %d\n", k, log_[0], log_[1], log_[2], log_[3]);
T(1)T(2)T(3)T(4)T(5)T(7)T(8)T(10)T(11)T(13)T(14)T(15)T(16)T(17)T(18)T(19)T(20)T(21)T(22) T(23)T(24)T(25)T(26)T(27)T(28)T(29)}
