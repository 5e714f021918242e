/** Exit codes of the commands. */

export const DONE = 0;
export const FAILED = 1;
/** Invalid usage: an unknown command or option, or a bad argument. */
export const MISUSED = 2;
