/* Gives a program with models of files its inputs: data.txt and an argument that is another name, "other". What they are
 * is in the variables DATA and OTHER: 0: no file; 1 and hexadecimal digits: what it has; 2: it cannot be opened. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int gia_state(const char *variable)
{
    return getenv(variable)[0] - '0';
}

static int gia_byte(const char *variable)
{
    static int places[256];
    int *place = &places[(unsigned char)variable[0]];
    int digits, byte;
    digits = sscanf(getenv(variable) + 1 + 2 * *place, "%2x", &byte);
    *place += 1;
    return digits == 1 ? byte : -1;
}

int __VERIFIER_nondet_argc(void) { return 2; }

char __VERIFIER_nondet_character(void)
{
    static int place;
    return place < 5 ? "other"[place++] : 0;
}

int __VERIFIER_nondet_file_data_2etxt(void) { return gia_state("DATA"); }
int __VERIFIER_nondet_byte_of_file_data_2etxt(void) { return gia_byte("DATA"); }
int __VERIFIER_nondet_file__1(void) { return gia_state("OTHER"); }
int __VERIFIER_nondet_byte_of_file__1(void) { return gia_byte("OTHER"); }
int __VERIFIER_nondet_file__2(void) { abort(); }
int __VERIFIER_nondet_byte_of_file__2(void) { abort(); }
int __VERIFIER_nondet_file__3(void) { abort(); }
int __VERIFIER_nondet_byte_of_file__3(void) { abort(); }
int __VERIFIER_nondet_file__4(void) { abort(); }
int __VERIFIER_nondet_byte_of_file__4(void) { abort(); }
int __VERIFIER_nondet_file__5(void) { abort(); }
int __VERIFIER_nondet_byte_of_file__5(void) { abort(); }
int __VERIFIER_nondet_file__6(void) { abort(); }
int __VERIFIER_nondet_byte_of_file__6(void) { abort(); }
int __VERIFIER_nondet_file__a(void) { abort(); }
int __VERIFIER_nondet_byte_of_file__a(void) { abort(); }
int __VERIFIER_nondet_file__b(void) { abort(); }
int __VERIFIER_nondet_byte_of_file__b(void) { abort(); }
int __VERIFIER_nondet_file__c(void) { abort(); }
int __VERIFIER_nondet_byte_of_file__c(void) { abort(); }
int __VERIFIER_nondet_file__d(void) { abort(); }
int __VERIFIER_nondet_byte_of_file__d(void) { abort(); }
