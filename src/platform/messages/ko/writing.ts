/** Messages about writing styles and the AI provider, in Korean. */
import type { writing as english } from '../en/writing.js';
import type { Translation } from '../translation.js';

export const writing: Translation<typeof english> = {
  styleBuiltIn: (name) => `기본으로 제공하는 문체의 이름입니다: ${name}. 다른 이름을 선택하십시오.`,

  styleMissing: 'writingStyle과 customStyleId 가운데 하나를 지정해야 합니다.',
  styleAmbiguous: 'writingStyle과 customStyleId 가운데 하나만 지정해야 합니다.',
  clientDisconnected: '응답이 준비되기 전에 클라이언트가 연결을 끊었습니다.',

  aiBudgetSpent: (budget) =>
    `오늘 사용할 수 있는 AI 요청 ${budget}건을 모두 사용했습니다. 00:00 UTC부터 다시 사용할 수 있습니다.`,
  tooManyPreviews: (max) => `처리 중인 미리보기가 ${max}건 있습니다. 하나가 끝난 뒤에 다시 시도하십시오.`,
  aiTooManyRunning: (max) => `처리 중인 AI 요청이 ${max}건 있습니다. 하나가 끝난 뒤에 다시 시도하십시오.`,
  aiNotConfigured:
    'AI 제공자가 설정되어 있지 않습니다. OpenAI를 쓰려면 AI_MODEL과 AI_API_KEY를, 다른 제공자를 쓰려면 AI_MODEL과 AI_BASE_URL을 설정하십시오.',
  aiTimeout: 'AI 제공자가 제시간에 응답하지 않았습니다. 나중에 다시 시도하십시오.',
  aiUnreachable: 'AI 제공자에 연결할 수 없습니다. 나중에 다시 시도하십시오.',
  aiFailed: 'AI 제공자에 오류가 발생했습니다. 나중에 다시 시도하십시오.',
  aiBusy: 'AI 제공자가 지금은 요청을 더 받지 않습니다. 나중에 다시 시도하십시오.',
  aiCircuitOpen: 'AI 제공자의 응답이 여러 번 잇따라 실패했습니다. 나중에 다시 시도하십시오.',
  aiResponseTooLarge: 'AI 제공자의 응답이 너무 큽니다.',
  aiResponseInvalid: 'AI 제공자의 응답을 사용할 수 없습니다.',
  aiKeyRejected: 'AI 제공자가 이 서비스를 받아들이지 않습니다. 운영자가 AI_API_KEY를 확인해야 합니다.',
  aiRejected: 'AI 제공자가 이 요청을 거절했습니다.',
  aiResponseTruncated: 'AI 제공자의 응답이 중간에 끊겼습니다.',
};
