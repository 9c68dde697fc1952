"""What holds for all blocks that are allocated many times is proven and certified, and no more than that."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.analyses.proving import verifier
from tests.analyses.marked import prove_what_is_marked

NODE = "struct node { int value; struct node *next; };\n"
PROGRAMS = {
    "a stack": f"""
{NODE}
static struct node *top; int other = 4;
int main(void) {{
  for (int c; (c = MORE);) {{
    if (c > 0) {{
      struct node *n = malloc(sizeof *n); n->value = c; n->next = top; top = n;
    }} else if (top) {{
      struct node *n = top; int value = n->value;
      top = n->next; free(n);
      if (value <= 0) return 1; // never
      if (value <= 1) return 1; // may be
    }}
    if (other != 4) return 1; // never
  }}
  return 0;
}}
""",
    "a list that ends with a mark": f"""
{NODE}
int main(void) {{
  struct node *first = malloc(sizeof *first), *p = first;
  for (int odd = 1; MORE; odd = !odd) {{
    p->value = odd ? 1 : 2; p->next = malloc(sizeof *p); p = p->next;
  }}
  p->value = 3; p->next = 0;
  for (p = first; p->value != 3; p = p->next) {{
    if (p->value != 1 && p->value != 2) return 1; // never
    if (p->value != 2) return 1; // may be
  }}
  return 0;
}}
""",
    "a queue with both ends": f"""
{NODE}
static struct node *first, *last;
int main(void) {{
  for (int c; (c = MORE);) {{
    if (c > 0 && c < 10) {{
      struct node *n = calloc(1, sizeof *n); n->value = c;
      if (last) last->next = n; else first = n;
      last = n;
    }} else if (first) {{
      if (first->value > 9) return 1; // never
      first = first->next;
      if (!first) last = 0;
    }}
    if (last && last->next) return 1; // never
    if (first && first->next) (void)MORE; // may be
    if (!first && last) return 1; // never
  }}
  return 0;
}}
""",
    "a tree": """
struct tree { int key; struct tree *left, *right; };
static struct tree *insert(struct tree *t, int key) {
  if (!t) { t = calloc(1, sizeof *t); t->key = key; return t; }
  if (key < t->key) t->left = insert(t->left, key);
  else t->right = insert(t->right, key);
  return t;
}
static int other = 4;
static int sum(const struct tree *t) { return t ? sum(t->left) + t->key + sum(t->right) : 0; }
int main(void) {
  struct tree *root = 0, *t;
  for (int key; (key = MORE);)
    if (key > 2) root = insert(root, key);
  if (!root) return 1; // may be
  for (t = root; t->left; t = t->left);
  if (t->key <= 2) return 1; // never
  if (t->key <= 3) (void)MORE; // may be
  if (sum(root) > 5 && other != 4) return 1; // never
  return 0;
}
""",
    "pointers to nothing and to something": """
struct node { int value; int *watch; const char *name; struct node *next; };
int main(void) {
  struct node *list = 0;
  while (MORE) {
    struct node *n = malloc(sizeof *n);
    n->value = MORE; n->watch = 0; n->name = "x"; n->next = list; list = n;
  }
  for (struct node *n = list; n; n = n->next) {
    if (n->watch) return 1; // never
    if (!n->name) return 1; // never
    if (!n->next) return 1; // may be
  }
  return 0;
}
""",
    "numbers of their own": """
struct job { long long cost; short id; struct job *next; }; static struct job *jobs; static short count;
int main(void) {
  while (MORE && count < 1000) {
    struct job *j = malloc(sizeof *j); j->id = ++count; j->cost = 7; j->next = jobs; jobs = j;
  }
  for (struct job *j = jobs; j; j = j->next) {
    if (j->id > count) return 1; // never
    if (j->id >= count) return 1; // may be
    if (j->cost != 7) return 1; // never
  }
  return 0;
}
""",
    "one that was changed": f"""
{NODE}
int main(void) {{
  struct node *list = 0;
  while (MORE) {{ struct node *n = malloc(sizeof *n); n->value = 1; n->next = list; list = n; }}
  struct node *chosen = list;
  while (chosen && MORE) chosen = chosen->next;
  if (chosen) chosen->value = 2;
  for (struct node *p = list; p; p = p->next) {{
    if (p != chosen && p->value != 1) return 1; // never
    if (p->value != 1) return 1; // may be
  }}
  return 0;
}}
""",
    "two kinds of blocks": f"""
{NODE}
struct text {{ char *name; int length; struct text *next; }};
int main(void) {{
  struct node *nodes = 0; struct text *texts = 0;
  while (MORE) {{
    if (MORE) {{ struct node *n = malloc(sizeof *n); n->value = -1; n->next = nodes; nodes = n; }}
    else {{ struct text *t = malloc(sizeof *t); t->length = 4; t->name = "gia"; t->next = texts; texts = t; }}
    if (nodes && texts) nodes->value = -texts->length;
    if (texts && texts->length != 4) return 1; // never
    if (nodes && nodes->value != -1 && nodes->value != -4) return 1; // never
    if (nodes && nodes->value != -1) (void)MORE; // may be
  }}
  return 0;
}}
""",
    "copied and cleared as a whole": f"""
{NODE}
int main(void) {{
  struct node *list = 0, plain = {{3, 0}};
  while (MORE) {{
    struct node *n = malloc(sizeof *n);
    if (MORE) memset(n, 0, sizeof *n); else *n = plain;
    if (list && MORE) memcpy(n, list, sizeof *n);
    n->next = list; list = n;
    if (list->value != 0 && list->value != 3) return 1; // never
    if (list->value != 3) (void)MORE; // may be
  }}
  return 0;
}}
""",
    "names and other arrays": """
struct person { char name[40]; int age; int scores[3]; struct person *next; }; static struct person *people;
int main(void) {
  while (MORE) {
    struct person *p = calloc(1, sizeof *p), *q = malloc(sizeof *q);
    memcpy(p->name, "Ada", 4); p->age = 36; p->scores[1] = 7; p->name[MORE & 31] = 'x';
    *q = *p;
    p->next = q; q->next = people; people = p;
  }
  for (struct person *p = people; p; p = p->next) {
    if (p->age != 36) return 1; // never
    if (p->name[0] != 'A') (void)MORE; // may be
    if (p->scores[0] != p->scores[2]) (void)MORE; // may be
  }
  return 0;
}
""",
    "texts that are copied": """
struct item { char name[12]; int count; struct item *next; }; static struct item *items;
static struct item *make(const char *name) {
  struct item *i = malloc(sizeof *i);
  HOW
  i->count = 1; i->next = items;
  return i;
}
int main(void) {
  char word[12] = "";
  while (MORE) {
    for (int n = 0; n < 11; n++) word[n] = (char)(MORE & 127);
    struct item *found = items;
    while (found && strcmp(found->name, word)) found = found->next;
    if (!found) items = found = make(word);
    if (found->count < 1) return 1; // never
    if (found->count < 9) found->count++;
    if (found->count > 9) return 1; // never
    if (found->count > 8) (void)MORE; // may be
  }
  return 0;
}
""",
    "a text that is too long": """
struct item { char name[4]; int count; struct item *next; };
int main(void) {
  struct item *items = 0; int other = 1;
  while (MORE) {
    struct item *i = malloc(sizeof *i);
    if (other != 1) return 1; // never
    i->count = 0; i->next = items; items = i;
    if (MORE) strcpy(i->name, "longer"); else strcpy(i->name, "abc");
    if (items->count != 0) (void)MORE; // may be
  }
  return 0;
}
""",
    "a text of any length": """
struct item { char name[4]; int count; struct item *next; };
int main(void) {
  struct item *items = 0; int other = 1;
  while (MORE) {
    struct item *i = malloc(sizeof *i);
    i->count = 0; i->next = items; items = i;
    strncpy(i->name, getenv("A"), -1ul);
    if (items->count != 0) (void)MORE; // may be
    if (other != 1) return 1; // never
  }
  return 0;
}
""",
    "memory without a type": """
struct box { void *data; long size; struct box *next; };
int main(void) {
  struct box *boxes = 0; int other = 1;
  while (MORE) {
    struct box *b = malloc(sizeof *b);
    b->size = 3; b->data = malloc(3); memset(b->data, 7, 3); b->next = boxes; boxes = b;
    char *end = (char *)b->data + b->size;
    while (end != b->data) *--end = 1;
    if (boxes->size != 3) return 1; // never
    if (other != 1) return 1; // never
  }
  return 0;
}
""",
    "what has no value yet": f"""
{NODE}
int main(void) {{
  struct node *list = 0;
  while (MORE) {{
    struct node *n = malloc(sizeof *n);
    if (MORE) n->value = 5;
    n->next = list; list = n;
    if (list->value != 5) (void)MORE; // may be
  }}
  return 0;
}}
""",
    "what was freed is used again": f"""
{NODE}
int main(void) {{
  struct node *old = 0, *kept = 0;
  while (MORE) {{
    struct node *n = malloc(sizeof *n);
    n->value = 1; n->next = 0;
    if (n == old) (void)MORE; // may be
    if (n == kept) return 1; // may be
    if (MORE) {{ old = n; free(n); }} else kept = n;
  }}
  return 0;
}}
""",
    "blocks in an array, one after the other": """
int main(void) {
  int *a[3];
  for (int i = 0; i < 3; i++) { a[i] = malloc(sizeof *a[i]); *a[i] = i; }
  for (int i = 0; i < 3; i++) {
    if (*a[i] != i) return 1; // never
    if (*a[i] == 2) (void)MORE; // may be
    free(a[i]);
  }
  return 0;
}
""",
    "two fields of a block": """
struct account { struct account *next; int paid, owed; };
static struct account *all;
static void add(int owed) {
  struct account *a = malloc(sizeof *a);
  a->paid = 0; a->owed = owed; a->next = all; all = a;
}
int main(void) {
  while (MORE) { int owed = MORE; if (owed >= 0) add(owed); }
  for (struct account *a = all; a; a = a->next) {
    int paid = MORE;
    if (paid < 0 || a->owed < paid) continue;
    a->paid = paid;
  }
  for (struct account *a = all; a; a = a->next) {
    if (a->paid > a->owed) return 1; // never
    if (a->paid == a->owed) return 1; // may be
  }
  return 0;
}
""",
    "cases of two fields": """
struct event { struct event *next; int kind, hour; };
int main(void) {
  struct event *all = 0;
  while (MORE) {
    int kind = MORE, hour = MORE;
    if ((kind == 1 && hour == 3) || (kind == 0 && hour == 2)) continue;
    struct event *e = malloc(sizeof *e);
    e->kind = kind; e->hour = hour; e->next = all; all = e;
  }
  for (struct event *e = all; e; e = e->next) {
    if (e->kind == 1 && e->hour == 3) return 1; // never
    if (e->kind == 1 && e->hour == 2) return 1; // may be
  }
  return 0;
}
""",
    "a field near a variable": f"""
{NODE}
static void add(struct node **list, int value) {{
  struct node *n = malloc(sizeof *n); n->next = *list; n->value = value; *list = n;
}}
int main(void) {{
  struct node *list = 0;
  int base = MORE;
  if (base < 0 || base > 1000) return 0;
  while (MORE) {{ int value = MORE; if (value > base && value < base + 100) add(&list, value); }}
  for (; list; list = list->next) {{
    if (!(list->value >= base && list->value < base + 100)) return 1; // never
    if (list->value != base + 1) return 1; // may be
  }}
  return 0;
}}
""",
    "inside of blocks": """
struct link { struct link *next; }; struct item { int value; struct link link; }; static struct link *links;
int main(void) {
  while (MORE) {
    struct item *i = malloc(sizeof *i);
    i->value = 6; i->link.next = links; links = &i->link;
  }
  for (struct link *l = links; l; l = l->next) {
    struct item *i = (struct item *)((char *)l - __builtin_offsetof(struct item, link));
    if (i->value != 6) return 1; // never
    if (l->next) return 1; // may be
  }
  return 0;
}
""",
}


COPIED = PROGRAMS.pop("texts that are copied")
COPYING = {
    "all of it": "strcpy(i->name, name);",
    "what fits": "strncpy(i->name, name, sizeof i->name - 1); i->name[sizeof i->name - 1] = 0;",
    "one by one": "for (int n = 0; n < 12; n++) i->name[n] = name[n];",
    "as bytes": "memcpy(i->name, name, 12);",
    "as many bytes as fit": "size_t n = (unsigned)MORE; if (n > 12) n = 12; memcpy(i->name, name, n);",
    "to where the next one goes": "unsigned n = MORE; while (MORE) if (n < 12) i->name[n++] = name[0];",
}
PROGRAMS |= {f"a text is copied: {name}": COPIED.replace("HOW", how) for name, how in COPYING.items()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_holds_for_all_blocks_is_proven(name: str, tmp_path: Path) -> None:
    prove_what_is_marked(PROGRAMS[name], verifier.run, tmp_path)
