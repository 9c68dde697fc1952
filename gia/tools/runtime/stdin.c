/* One run in one process. */
#include <unistd.h>

static void gia_end(void) { _exit(0); }

int main(int argc, char **argv, char **environment)
{
    static unsigned char bytes[1 << 16];
    long count;
    (void)argc;
    argv[1] = 0;
    while (gia_left < sizeof bytes && (count = read(0, bytes + gia_left, sizeof bytes - gia_left)) > 0)
        gia_left += (unsigned long)count;
    gia_at = bytes;
    gia_entry(1, argv, environment);
    gia_end();
}

