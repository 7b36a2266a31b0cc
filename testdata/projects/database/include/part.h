/* SCALE comes from the flags of each file. */
int part(int rank);
