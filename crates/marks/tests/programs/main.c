/* Runs the script that is linked in. */
void script(void);

int main(void) {
    script();
    return 0;
}
