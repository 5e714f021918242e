/** What the doctor found: of one thing, how it is and what to do about it. */

/** A note says how things are, where that is neither right nor wrong. */
export type Health = 'ok' | 'note' | 'warning' | 'failure';

export interface Finding {
  /** Of what, in a word or two. */
  about: string;
  health: Health;
  /** A sentence. */
  message: string;
  /** What to do, a sentence; only of warnings and failures. */
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
