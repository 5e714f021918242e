/** Messages about writing styles and the AI provider, in English. */

export const writing = {
  styleBuiltIn: (name: string) => `${name} is a built-in style: choose another name.`,

  noStyleGiven: 'exactly one of writingStyle and customStyleId must be given, got none',
  twoStylesGiven: 'exactly one of writingStyle and customStyleId must be given, got both',
  clientGone: 'The client went away before its answer was there.',

  aiBudgetSpent: (budget: number) =>
    `Your ${budget} AI requests of today are used up: there are new ones from 00:00 UTC.`,
  aiTooManyRunning: (most: number) => `You have ${most} AI requests running: wait until one of them has ended.`,
  aiNotConfigured:
    'No AI provider is configured: set AI_MODEL with AI_API_KEY for OpenAI, or with AI_BASE_URL for another one.',
  aiTooSlow: 'The AI provider did not answer in time: try again later.',
  aiUnreachable: 'The AI provider cannot be reached: try again later.',
  aiFailed: 'The AI provider reports an error of its own: try again later.',
  aiBusy: 'The AI provider takes no more requests for the moment: try again later.',
  aiGivenUp: 'The AI provider has failed several times in a row: try again later.',
  aiTooLarge: 'The AI provider sent an answer that is too large.',
  aiUnreadable: 'The AI provider sent an answer that cannot be used.',
  aiKeyRefused: 'The AI provider does not accept this service: whoever runs it must look at its AI_API_KEY.',
  aiRefused: 'The AI provider refused this request.',
  aiCutOff: 'The AI provider ended its answer too early.',
};
