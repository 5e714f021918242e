/** The result of one check of `daybook doctor`. */

/** A note is information only: neither a confirmation nor a problem. */
export type Health = 'ok' | 'note' | 'warning' | 'failure';

export interface Finding {
  /** The subject, in one or two words. */
  about: string;
  health: Health;
  /** A sentence. */
  message: string;
  /** What to do, one sentence; only for warnings and failures. */
  advice?: string;
}

export function ok(about: string, message: string): Finding {
  return { about, health: 'ok', message };
}

export function note(about: string, message: string): Finding {
  return { about, health: 'note', message };
}

export function warning(about: string, message: string, advice: string): Finding {
  return { about, health: 'warning', message, advice };
}

export function failure(about: string, message: string, advice: string): Finding {
  return { about, health: 'failure', message, advice };
}
