/* What a task does before it hands the token on. */
int step(int token);
