package guardian

// LeaveScreen leaves the alternate screen, shows the cursor, and switches off
// colours, mouse reports, bracketed paste and the keyboard's and the screen's
// special modes.
const LeaveScreen = "\x1b[?1049l\x1b[?25h\x1b[m\x1b[?1000;1002;1003;1004;1006;2004;2026l\x1b[<u\x1b[=0;1u\x1b[>4m"
