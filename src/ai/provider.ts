/** What the rest of the service knows of AI: one small interface to a provider of text, and the two ways to go without. */

import { AppError } from '../errors.js';
import { say } from '../messages/message.js';
import type { Services, TextModel } from '../services.js';

/** @throws AppError AI_NOT_CONFIGURED, naming what to set */
export function requireModel({ ai }: Pick<Services, 'ai'>): TextModel {
  if (ai) return ai;
  throw new AppError('AI_NOT_CONFIGURED', { message: say('aiNotConfigured') });
}
