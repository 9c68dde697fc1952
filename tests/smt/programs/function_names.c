/* inputs: 1 */
int same[6];

static const char *name(void) { return __func__; }
static const char *again(void) { return __FUNCTION__; }

int main(void) {
    int n = __VERIFIER_nondet_int();
    const char *literal = n ? "name" : "again", *own = __func__;
    same[0] = name() == literal;
    same[1] = again() == literal;
    same[2] = name() == name();
    same[3] = own == __func__;
    same[4] = name()[n] == literal[n];
    same[5] = own == name();
    return 0;
}
