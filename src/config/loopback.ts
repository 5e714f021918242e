/** Whether a host name is the loopback interface (RFC 8252 §8.3). */
export function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
