double sqr(double x)
{
    return x * x;
}
