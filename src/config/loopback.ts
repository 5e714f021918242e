/** This machine, by name. */

/** Whether a host is this machine itself (RFC 8252 §8.3). */
export function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
