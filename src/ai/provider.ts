/** Access to the configured AI provider. */

import { AppError } from '../errors.js';
import { createMessage } from '../messages/message.js';
import type { Services, TextModel } from '../services.js';

/** @throws AppError AI_NOT_CONFIGURED, whose message names the settings */
export function requireModel({ ai }: Pick<Services, 'ai'>): TextModel {
  if (ai) return ai;
  throw new AppError('AI_NOT_CONFIGURED', { message: createMessage('aiNotConfigured') });
}
