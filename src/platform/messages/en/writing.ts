/** Messages about writing styles and the AI provider, in English. */

export const writing = {
  styleBuiltIn: (name: string) => `${name} is a built-in style: choose another name.`,

  styleMissing: 'exactly one of writingStyle and customStyleId must be given, got none',
  styleAmbiguous: 'exactly one of writingStyle and customStyleId must be given, got both',
  clientDisconnected: 'The client disconnected before the response was ready.',

  aiBudgetSpent: (budget: number) =>
    `You have used all ${budget} AI requests for today: the budget resets at 00:00 UTC.`,
  tooManyPreviews: (max: number) => `You have ${max} previews in progress: wait until one of them has finished.`,
  aiTooManyRunning: (max: number) => `You have ${max} AI requests in progress: wait until one of them has finished.`,
  aiNotConfigured:
    'No AI provider is configured: set AI_MODEL with AI_API_KEY for OpenAI, or with AI_BASE_URL for another provider.',
  aiTimeout: 'The AI provider did not respond in time: try again later.',
  aiUnreachable: 'The AI provider cannot be reached: try again later.',
  aiFailed: 'The AI provider reported an internal error: try again later.',
  aiBusy: 'The AI provider accepts no more requests at the moment: try again later.',
  aiCircuitOpen: 'The AI provider failed several times in a row: try again later.',
  aiResponseTooLarge: 'The response of the AI provider is too large.',
  aiResponseInvalid: 'The response of the AI provider cannot be used.',
  aiKeyRejected: 'The AI provider rejected the credentials of this service: its operator must check AI_API_KEY.',
  aiRejected: 'The AI provider rejected this request.',
  aiResponseTruncated: 'The response of the AI provider was truncated.',
};
