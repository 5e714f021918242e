/** Minimum and maximum length of a password, in code points (ASVS 5.0 §6.2.1 and §6.2.9). */

export const SHORTEST_PASSWORD = 8;
export const LONGEST_PASSWORD = 128;
