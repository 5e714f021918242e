/** What a command ends with. */

export const DONE = 0;
export const FAILED = 1;
/** The command makes no sense. */
export const MISUSED = 2;
