/** Makes custom styles through the interface, each different from the last by a counter. */
import { expect } from 'chai';
import type { BuiltMember } from './build.js';
import { call } from './client.js';

let count = 0;

/** @returns the style as it was answered */
export async function buildStyle(url: string, { token }: BuiltMember, overrides: Record<string, string> = {}) {
  count++;
  const json = {
    name: `Style ${count}`,
    role: `Writer ${count}`,
    instruction: `Write like number ${count}.`,
    ...overrides,
  };
  const { status, body } = await call(url, 'POST /api/members/me/custom-styles', { token, json });
  expect(status, JSON.stringify(body)).to.equal(201);
  return body?.data as { id: number; name: string; role: string; instruction: string };
}
