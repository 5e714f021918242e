/** Who makes summaries: the provider where there is one, else this process itself. */
import type { Summary } from '../models/summary.js';
import type { Services } from '../services.js';
import { EXTRACT_VERSION, extractSummary } from './extractive/extractor.js';
import { askForSummary, PROMPT_VERSION } from './summary-prompt.js';

/** What a summary depends on beside the text: another source, another summary. */
export function sourceOf({ ai }: Pick<Services, 'ai'>): string {
  return ai ? `${ai.name}\0${PROMPT_VERSION}` : `extractive\0${EXTRACT_VERSION}`;
}

/** @throws ProviderFailure where it cannot be made; the signal's reason */
export function summarise({ ai }: Pick<Services, 'ai'>, content: string, signal: AbortSignal): Promise<Summary> {
  return ai ? askForSummary(ai, content, signal) : extractSummary(content);
}
