#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library's sorting and searching, and sorting by hand. */

#define COUNT 500

static int compared;

static int by_value(const void *a, const void *b) {
  int x = *(const int *)a;
  int y = *(const int *)b;
  compared++;
  if (x < y)
    return -1;
  return x > y;
}

struct entry {
  int key;
  char name[12];
};

static int by_name(const void *a, const void *b) {
  const struct entry *x = a;
  const struct entry *y = b;
  int order = strcmp(x->name, y->name);
  if (order != 0)
    return order;
  return x->key - y->key;
}

static void quicksort(int *a, int low, int high) {
  if (low >= high)
    return;
  int pivot = a[(low + high) / 2];
  int i = low;
  int j = high;
  while (i <= j) {
    while (a[i] < pivot)
      i++;
    while (a[j] > pivot)
      j--;
    if (i <= j) {
      int t = a[i];
      a[i] = a[j];
      a[j] = t;
      i++;
      j--;
    }
  }
  quicksort(a, low, j);
  quicksort(a, i, high);
}

static int position(const int *a, int n, int key) {
  int low = 0;
  int high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (a[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int main(void) {
  int a[COUNT];
  int b[COUNT];
  unsigned seed = 12345;
  for (int i = 0; i < COUNT; i++) {
    seed = seed * 1103515245u + 12345u;
    a[i] = (int)(seed >> 16) % 1000;
    b[i] = a[i];
  }
  qsort(a, COUNT, sizeof a[0], by_value);
  quicksort(b, 0, COUNT - 1);
  int found = 0;
  for (int key = 0; key < 1000; key += 3) {
    if (bsearch(&key, a, COUNT, sizeof a[0], by_value))
      found++;
    found += position(b, COUNT, key);
  }
  struct entry entries[26];
  for (int i = 0; i < 26; i++) {
    entries[i].key = i;
    sprintf(entries[i].name, "n%d", (i * 7) % 13);
  }
  qsort(entries, 26, sizeof entries[0], by_name);
  for (int i = 0; i < compared % 100; i++)
    found++;
  printf("%d %d %s\n", found, compared, entries[0].name);
  return 0;
}
