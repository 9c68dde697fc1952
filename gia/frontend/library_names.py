"""The names of the C library: functions that are library functions even if no system header declares them.

ISO C11 (clause 7) reserves all of its names, so no program defines them; of POSIX and GNU those are listed that
programs call without a header, most often because the text was preprocessed without line markers.
"""

from __future__ import annotations

from typing import Final

from gia.cfa.graph import HIDING

_MATHS: Final = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax
fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint
nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc cabs cacos
cacosh carg casin casinh catan catanh ccos ccosh cexp cimag clog conj cpow cproj creal csin csinh csqrt ctan ctanh
"""
"""Each of them exists for ``double``, ``float`` (``f``) and ``long double`` (``l``)."""

_ISO_C: Final = """
_Exit abort abs aligned_alloc asctime at_quick_exit atexit atof atoi atol atoll bsearch btowc c16rtomb c32rtomb
call_once calloc clearerr clock cnd_broadcast cnd_destroy cnd_init cnd_signal cnd_timedwait cnd_wait ctime difftime
div exit fclose feclearexcept fegetenv fegetexceptflag fegetround feholdexcept feof feraiseexcept ferror fesetenv
fesetexceptflag fesetround fetestexcept feupdateenv fflush fgetc fgetpos fgets fgetwc fgetws fopen fprintf fputc
fputs fputwc fputws fread free freopen fscanf fseek fsetpos ftell fwide fwprintf fwrite fwscanf getc getchar getenv
gets getwc getwchar gmtime imaxabs imaxdiv isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct
isspace isupper iswalnum iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace
iswupper iswxdigit isxdigit labs ldiv llabs lldiv localeconv localtime malloc mblen mbrlen mbrtoc16 mbrtoc32 mbrtowc
mbsinit mbsrtowcs mbstowcs mbtowc memchr memcmp memcpy memmove memset mktime mtx_destroy mtx_init mtx_lock
mtx_timedlock mtx_trylock mtx_unlock perror printf putc putchar puts putwc putwchar qsort quick_exit raise rand
realloc remove rename rewind scanf setbuf setlocale setvbuf signal snprintf sprintf srand sscanf strcat strchr
strcmp strcoll strcpy strcspn strerror strftime strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod
strtof strtoimax strtok strtol strtold strtoll strtoul strtoull strtoumax strxfrm swprintf swscanf system
thrd_create thrd_current thrd_detach thrd_equal thrd_exit thrd_join thrd_sleep thrd_yield time timespec_get tmpfile
tmpnam tolower toupper towctrans towlower towupper tss_create tss_delete tss_get tss_set ungetc ungetwc vfprintf
vfscanf vfwprintf vfwscanf vprintf vscanf vsnprintf vsprintf vsscanf vswprintf vswscanf vwprintf vwscanf wcrtomb
wcscat wcschr wcscmp wcscoll wcscpy wcscspn wcsftime wcslen wcsncat wcsncmp wcsncpy wcspbrk wcsrchr wcsrtombs wcsspn
wcsstr wcstod wcstof wcstoimax wcstok wcstol wcstold wcstoll wcstombs wcstoul wcstoull wcstoumax wcsxfrm wctob
wctomb wctrans wctype wmemchr wmemcmp wmemcpy wmemmove wmemset wprintf wscanf
"""

_POSIX_AND_GNU: Final = """
alloca bcmp bcopy bzero close fileno fork ftw getline getpid gettimeofday hsearch index isascii isatty lfind lsearch
lseek memalign memccpy memmem mempcpy nftw open posix_memalign pthread_cancel pthread_cond_broadcast
pthread_cond_destroy pthread_cond_init pthread_cond_signal pthread_cond_timedwait pthread_cond_wait pthread_detach
pthread_equal pthread_exit pthread_getspecific pthread_join pthread_mutex_destroy pthread_mutex_init
pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock pthread_once pthread_self pthread_setspecific qsort_r
rand_r random read reallocarray rindex scandir sleep srandom stpcpy strcasecmp strdup strncasecmp strndup strnlen
tdelete tfind toascii tsearch twalk unlink usleep valloc write __fpclassify __fpclassifyf __isinf __isinff __isnan
__isnanf __signbit __signbitf __finite __finitef isnan isinf __errno_location __ctype_b_loc __ctype_tolower_loc
__ctype_toupper_loc
"""

LIBRARY: Final = frozenset(
    [
        *_ISO_C.split(),
        *_POSIX_AND_GNU.split(),
        *HIDING,
        *(f"{name}{suffix}" for name in _MATHS.split() for suffix in ("", "f", "l")),
    ]
)
"""Functions of the library, whoever declares them."""
