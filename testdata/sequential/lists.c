/* Pointers, structs and strings: a linked list, a hash table, a tokenizer; all determined by constants. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    char word[16];
    int count;
    struct node *next;
};

#define BUCKETS 7

static struct node *table[BUCKETS];

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    while (*s)
        h = h * 33 + (unsigned char)*s++;
    return h % BUCKETS;
}

static struct node *look_up(const char *word)
{
    unsigned h = hash(word);
    for (struct node *n = table[h]; n != NULL; n = n->next)
        if (strcmp(n->word, word) == 0)
            return n;
    struct node *n = calloc(1, sizeof *n);
    strncpy(n->word, word, sizeof n->word - 1);
    n->next = table[h];
    return table[h] = n;
}

int main(void)
{
    const char *text = "to be or not to be that is the question whether tis nobler in the mind to suffer";
    char word[16];
    int length = 0, words = 0, longest = 0;
    for (const char *c = text;; c++) {
        if (isalpha((unsigned char)*c)) {
            if (length < 15)
                word[length++] = tolower(*c);
            continue;
        }
        if (length > 0) {
            word[length] = '\0';
            look_up(word)->count++;
            words++;
            if (length > longest)
                longest = length;
            length = 0;
        }
        if (*c == '\0')
            break;
    }
    int distinct = 0, chain = 0;
    for (int b = 0; b < BUCKETS; b++) {
        int here = 0;
        for (struct node *n = table[b]; n; n = n->next)
            here++;
        distinct += here;
        chain = here > chain ? here : chain;
    }
    printf("%d words, %d distinct, longest %d, chain %d\n", words, distinct, longest, chain);
    return 0;
}
