/** Texts of notifications and messages about notification streams, in Korean. */
import type { notifications as english } from '../en/notifications.js';
import type { Translation } from '../translation.js';

export const notifications: Translation<typeof english> = {
  commented: (actor, title) => `${actor} 님이 회원님의 글 “${title}”에 댓글을 남겼습니다.`,
  replied: (actor, title) => `${actor} 님이 “${title}”에 남긴 회원님의 댓글에 답글을 남겼습니다.`,
  summaryReady: (title) => `회원님의 글 “${title}”의 요약이 준비되었습니다.`,
  summaryFailed: (title) => `회원님의 글 “${title}”의 요약을 만들지 못했습니다.`,

  tooManyStreams: (open, most) =>
    `열려 있는 스트림이 ${open}개이며 최대 ${most}개까지 열 수 있습니다. 더 이상 필요하지 않은 스트림을 닫으십시오.`,
  serverStopping: '이 프로세스가 종료됩니다. 다시 연결하십시오.',
};
