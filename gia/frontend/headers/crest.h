/* What programs for CREST call, for machines without CREST (gia.frontend.models.drivers). */
#ifndef CREST_H__
#define CREST_H__

#define CREST_unsigned_char(x) __CrestUChar(&x)
#define CREST_unsigned_short(x) __CrestUShort(&x)
#define CREST_unsigned_int(x) __CrestUInt(&x)
#define CREST_char(x) __CrestChar(&x)
#define CREST_short(x) __CrestShort(&x)
#define CREST_int(x) __CrestInt(&x)

extern void __CrestUChar(unsigned char *);
extern void __CrestUShort(unsigned short *);
extern void __CrestUInt(unsigned *);
extern void __CrestChar(char *);
extern void __CrestShort(short *);
extern void __CrestInt(int *);

#endif
