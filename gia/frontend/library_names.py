"""The names of the C library: functions that are library functions even if no system header declares them.

ISO C11 (clause 7) reserves all of its names, so no program defines them. Those of POSIX and GNU may be functions of the
program itself; where it does not define one, the linker takes that of the library (glibc 2.36). Programs declare them
without a header most often because their text was preprocessed without line markers.
"""

from __future__ import annotations

from typing import Final

from gia.cfa.hiding import HIDING

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
__cmsg_nxthdr __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __errno_location __finite __finitef __fpclassify
__fpclassifyf __getdelim __isinf __isinff __isnan __isnanf __signbit __signbitf __strtok_r __xpg_basename
_obstack_memory_used _obstack_newchunk accept accept4 adjtime adjtimex aio_cancel aio_cancel64 aio_error aio_fsync
aio_fsync64 aio_read aio_read64 aio_return aio_return64 aio_suspend aio_write aio_write64 alloca alphasort alphasort64
arc4random_buf argp_help argp_parse asctime_r asprintf backtrace backtrace_symbols backtrace_symbols_fd bcmp bcopy brk
bzero c8rtomb catclose catgets cfmakeraw cfsetispeed cfsetospeed cfsetspeed clock_adjtime clock_getcpuclockid
clock_getres clock_gettime clock_nanosleep close confstr copy_file_range ctermid ctime_r cuserid dirname dl_iterate_phdr
dladdr dladdr1 dlclose dlinfo dlsym dlvsym dn_comp dn_expand drand48_r duplocale ecvt ecvt_r epoll_ctl epoll_pwait
epoll_pwait2 epoll_wait erand48 erand48_r eventfd_read execv execve execveat execvp execvpe explicit_bzero fcvt fcvt_r
fegetmode fexecve fgetgrent_r fgetpos64 fgetpwent_r fgets_unlocked fgetsgent_r fgetspent_r fgetws_unlocked fgetxattr
fileno flistxattr fmemopen fopencookie fork forkpty fread_unlocked freeaddrinfo freeifaddrs freelocale fstat fstat64
fstatat fstatat64 fstatfs fstatfs64 fstatvfs fstatvfs64 ftime fts64_children fts64_close fts64_open fts64_read fts64_set
fts_children fts_close fts_open fts_read fts_set ftw ftw64 gai_cancel gai_error gcvt getaddrinfo getaddrinfo_a
getaliasbyname_r getaliasent_r getcontext getcpu getcwd getdate_r getdelim getdents64 getdirentries getdirentries64
getdomainname getentropy getgrent_r getgrgid_r getgrnam_r getgrouplist getgroups gethostbyaddr_r gethostbyname2_r
gethostbyname_r gethostent_r gethostname getifaddrs getitimer getline getloadavg getlogin_r getmntent_r getnameinfo
getnetbyaddr_r getnetbyname_r getnetent_r getnetgrent getnetgrent_r getopt getopt_long getopt_long_only getpeername
getpid getprotobyname_r getprotobynumber_r getprotoent_r getpw getpwent_r getpwnam_r getpwuid_r getrandom getresgid
getresuid getrlimit getrlimit64 getrpcbyname_r getrpcbynumber_r getrpcent_r getrusage getservbyname_r getservbyport_r
getservent_r getsgent_r getsgnam_r getsockname getsockopt getspent_r getspnam_r getsubopt gettimeofday getutent_r
getutid_r getutline_r getutmp getutmpx getwd getxattr glob glob64 globfree globfree64 gmtime_r gtty hcreate_r hdestroy_r
hsearch hsearch_r iconv iconv_close if_freenameindex if_indextoname index inet_aton inet_nsap_addr inet_nsap_ntoa
inet_ntop inet_pton initstate initstate_r insque isascii isatty isinf isnan jrand48 jrand48_r klogctl lcong48 lcong48_r
lfind lgamma_r lgammaf_r lgammal_r lgetxattr lio_listio lio_listio64 listxattr llistxattr localtime_r lrand48_r lsearch
lseek lstat lstat64 madvise malloc_usable_size mbrtoc8 mbsnrtowcs mcheck mcheck_pedantic memalign memccpy memfrob memmem
mempcpy mincore mkdtemp mkostemp mkostemp64 mkostemps mkostemps64 mkstemp mkstemp64 mkstemps mkstemps64 mktemp mmap
mmap64 mount_setattr mprobe mprotect mq_getattr mq_receive mq_setattr mq_timedreceive mrand48_r mremap msgctl msgrcv
msync munmap name_to_handle_at nanosleep newlocale nftw nftw64 nrand48 nrand48_r ntp_adjtime ntp_gettime ntp_gettimex
obstack_free obstack_printf obstack_vprintf open open_by_handle_at open_memstream open_wmemstream openpty
parse_printf_format pipe pipe2 pkey_mprotect poll posix_madvise posix_memalign posix_spawn
posix_spawn_file_actions_addchdir_np posix_spawn_file_actions_addclose posix_spawn_file_actions_addclosefrom_np
posix_spawn_file_actions_adddup2 posix_spawn_file_actions_addfchdir_np posix_spawn_file_actions_addopen
posix_spawn_file_actions_addtcsetpgrp_np posix_spawn_file_actions_destroy posix_spawn_file_actions_init
posix_spawnattr_destroy posix_spawnattr_getflags posix_spawnattr_getpgroup posix_spawnattr_getschedparam
posix_spawnattr_getschedpolicy posix_spawnattr_getsigdefault posix_spawnattr_getsigmask posix_spawnattr_init
posix_spawnattr_setflags posix_spawnattr_setpgroup posix_spawnattr_setschedparam posix_spawnattr_setschedpolicy
posix_spawnattr_setsigdefault posix_spawnattr_setsigmask posix_spawnp ppoll pread pread64 preadv preadv2 preadv64
preadv64v2 printf_size_info prlimit prlimit64 process_madvise process_vm_readv process_vm_writev profil pselect
pthread_attr_destroy pthread_attr_getaffinity_np pthread_attr_getdetachstate pthread_attr_getguardsize
pthread_attr_getinheritsched pthread_attr_getschedparam pthread_attr_getschedpolicy pthread_attr_getscope
pthread_attr_getsigmask_np pthread_attr_getstack pthread_attr_getstackaddr pthread_attr_getstacksize pthread_attr_init
pthread_attr_setaffinity_np pthread_attr_setdetachstate pthread_attr_setguardsize pthread_attr_setinheritsched
pthread_attr_setschedparam pthread_attr_setschedpolicy pthread_attr_setscope pthread_attr_setsigmask_np
pthread_attr_setstack pthread_attr_setstackaddr pthread_attr_setstacksize pthread_barrier_destroy pthread_barrier_init
pthread_barrier_wait pthread_barrierattr_destroy pthread_barrierattr_getpshared pthread_barrierattr_init
pthread_barrierattr_setpshared pthread_cancel pthread_clockjoin_np pthread_cond_broadcast pthread_cond_clockwait
pthread_cond_destroy pthread_cond_init pthread_cond_signal pthread_cond_timedwait pthread_cond_wait
pthread_condattr_destroy pthread_condattr_getclock pthread_condattr_getpshared pthread_condattr_init
pthread_condattr_setclock pthread_condattr_setpshared pthread_detach pthread_equal pthread_exit pthread_getaffinity_np
pthread_getattr_default_np pthread_getattr_np pthread_getcpuclockid pthread_getname_np pthread_getschedparam
pthread_getspecific pthread_join pthread_mutex_clocklock pthread_mutex_consistent pthread_mutex_destroy
pthread_mutex_getprioceiling pthread_mutex_init pthread_mutex_lock pthread_mutex_setprioceiling pthread_mutex_timedlock
pthread_mutex_trylock pthread_mutex_unlock pthread_mutexattr_destroy pthread_mutexattr_getprioceiling
pthread_mutexattr_getprotocol pthread_mutexattr_getpshared pthread_mutexattr_getrobust pthread_mutexattr_gettype
pthread_mutexattr_init pthread_mutexattr_setprioceiling pthread_mutexattr_setprotocol pthread_mutexattr_setpshared
pthread_mutexattr_setrobust pthread_mutexattr_settype pthread_once pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock
pthread_rwlock_destroy pthread_rwlock_init pthread_rwlock_rdlock pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock
pthread_rwlock_tryrdlock pthread_rwlock_trywrlock pthread_rwlock_unlock pthread_rwlock_wrlock pthread_rwlockattr_destroy
pthread_rwlockattr_getkind_np pthread_rwlockattr_getpshared pthread_rwlockattr_init pthread_rwlockattr_setkind_np
pthread_rwlockattr_setpshared pthread_self pthread_setcancelstate pthread_setcanceltype pthread_setspecific
pthread_sigmask pthread_spin_destroy pthread_spin_init pthread_spin_lock pthread_spin_trylock pthread_spin_unlock
pthread_timedjoin_np pthread_tryjoin_np ptsname_r putenv pwritev pwritev2 pwritev64 pwritev64v2 qsort_r quotactl rand_r
random random_r read readdir64_r readdir_r readlink readlinkat readv reallocarray realpath recv recvfrom recvmmsg
recvmsg regcomp regerror regexec regfree register_printf_function register_printf_specifier register_printf_type
remap_file_pages remque rindex scandir scandir64 scandirat scandirat64 sched_getaffinity sched_getparam
sched_rr_get_interval seed48 seed48_r select sem_clockwait sem_close sem_destroy sem_getvalue sem_init sem_post
sem_timedwait sem_trywait sem_wait semop semtimedop sendfile sendfile64 sendmmsg sendmsg setbuffer setitimer setstate
setstate_r sgetsgent_r sgetspent_r shmctl sigaddset sigaltstack sigandset sigdelset sigemptyset sigfillset sigorset
sigpending sigprocmask sigreturn sigstack sigtimedwait sigwait sigwaitinfo sincos sincosf sincosl sleep socketpair
splice srand48_r srandom srandom_r ssignal stat stat64 statfs statfs64 statvfs statvfs64 statx stpcpy stpncpy strcasecmp
strdup strerror_r strfmon strfromd strfromf strfroml strfry strncasecmp strndup strnlen strptime strsep strtok_r swab
sysinfo tcgetattr tdelete tdestroy tfind timegm timelocal timer_delete timer_getoverrun timer_gettime timer_settime
timerfd_gettime timerfd_settime times timespec_getres tmpnam_r toascii tsearch ttyname_r twalk twalk_r uname unlink
uselocale usleep valloc vasprintf versionsort versionsort64 vmsplice wait wait3 wait4 waitid waitpid wcpcpy wcpncpy
wcsnrtombs wmempcpy wordexp wordfree write writev
"""
"""What programs call most, and all that may write through a pointer that it is given."""

_BEHIND_HEADERS: Final = """
_IO_feof _IO_ferror _IO_getc _IO_gets _IO_peekc_locked _IO_putc _IO_puts __asprintf __asprintf_chk __bzero __chk_fail
__confstr_chk __ctype_get_mb_cur_max __cxa_finalize __dprintf_chk __explicit_bzero_chk __fdelt_chk __fdelt_warn __ffs
__fgets_chk __fgets_unlocked_chk __fgetws_chk __fgetws_unlocked_chk __finitel __fortify_fail __fpclassifyl __fprintf_chk
__fread_chk __fread_unlocked_chk __fwprintf_chk __fxstat __fxstat64 __fxstatat __fxstatat64 __getcwd_chk
__getdomainname_chk __getgroups_chk __gethostname_chk __getlogin_r_chk __gets_chk __gettimeofday __getwd_chk
__h_errno_location __iseqsig __iseqsigf __iseqsigl __isinfl __isnanl __isoc99_fscanf __isoc99_fwscanf __isoc99_scanf
__isoc99_sscanf __isoc99_swscanf __isoc99_vfscanf __isoc99_vfwscanf __isoc99_vscanf __isoc99_vsscanf __isoc99_vswscanf
__isoc99_vwscanf __isoc99_wscanf __issignaling __issignalingf __issignalingl __longjmp_chk __lxstat __lxstat64
__mbsnrtowcs_chk __mbsrtowcs_chk __mbstowcs_chk __memcpy_chk __memmove_chk __mempcpy __mempcpy_chk __memset_chk
__obstack_printf_chk __obstack_vprintf_chk __open64_2 __open_2 __openat64_2 __openat_2 __overflow __poll_chk
__posix_getopt __ppoll_chk __pread64_chk __pread_chk __printf_chk __ptsname_r_chk __rawmemchr __read __read_chk
__readlink_chk __readlinkat_chk __realpath_chk __recv __recv_chk __recvfrom_chk __sched_cpualloc __sched_cpucount
__sched_cpufree __select __signbitl __snprintf __snprintf_chk __sprintf_chk __stack_chk_fail __stpcpy __stpcpy_chk
__stpncpy __stpncpy_chk __strcasecmp __strcat_chk __strcpy_chk __strdup __strerror_r __strncat_chk __strncpy_chk
__strndup __strsep_g __strtod_internal __strtof_internal __strtol_internal __strtold_internal __strtoll_internal
__strtoul_internal __strtoull_internal __swprintf_chk __sysconf __syslog_chk __ttyname_r_chk __uflow __underflow
__vasprintf_chk __vdprintf_chk __vfprintf_chk __vfscanf __vfwprintf_chk __vprintf_chk __vsnprintf __vsnprintf_chk
__vsprintf_chk __vsscanf __vswprintf_chk __vsyslog_chk __vwprintf_chk __wait __waitpid __wcpcpy_chk __wcpncpy_chk
__wcrtomb_chk __wcscat_chk __wcscpy_chk __wcsncat_chk __wcsncpy_chk __wcsnrtombs_chk __wcsrtombs_chk __wcstombs_chk
__wctomb_chk __wmemcpy_chk __wmemmove_chk __wmempcpy_chk __wmemset_chk __wprintf_chk __write __xmknod __xmknodat
__xpg_strerror_r __xstat __xstat64
"""
"""What headers of the library put in place of the names that a program uses."""

_SCANNING: Final = "scanf fscanf sscanf wscanf fwscanf swscanf"
NEWER: Final = frozenset(
    [
        *(f"__isoc23_{v}{name}" for v in ("", "v") for name in _SCANNING.split()),
        *(f"__isoc23_{text}to{type_}" for text in ("str", "wcs") for type_ in ("l", "ll", "ul", "ull", "imax", "umax")),
    ]
)
"""The same of glibc 2.38, for C23."""

LIBRARY: Final = frozenset(
    [
        *_ISO_C.split(),
        *_POSIX_AND_GNU.split(),
        *_BEHIND_HEADERS.split(),
        *NEWER,
        *HIDING,
        *(f"{name}{suffix}" for name in _MATHS.split() for suffix in ("", "f", "l")),
    ]
)
"""Functions of the library, whoever declares them."""
