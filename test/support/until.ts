/** Waits for a condition instead of a fixed time. */

/** Long enough on a busy machine. */
const MAX_WAIT_MS = 200_000;

/**
 * Waits until `condition` returns neither undefined nor false. Bounded, so that a failed test does not wait forever.
 * @param pauseMs longer for a condition that takes processor time
 */
export async function until<Found>(
  condition: () => Found | Promise<Found>,
  waitMs = MAX_WAIT_MS,
  pauseMs = 10,
): Promise<Exclude<Found, false | undefined>> {
  for (const end = Date.now() + waitMs; Date.now() < end; ) {
    const found = await condition();
    if (found !== undefined && found !== false) return found as Exclude<Found, false | undefined>;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Error(`waited ${waitMs / 1000} seconds in vain for ${condition}`);
}
