/** The `message` of successful REST responses, in Korean. */
import type { responses as english } from '../en/responses.js';
import type { Translation } from '../translation.js';

export const responses: Translation<typeof english> = {
  ok: '요청을 처리했습니다.',
  registered: '회원 가입이 완료되었습니다. 로그인하여 토큰을 받으십시오.',
  loggedIn: '로그인되었습니다.',
  loggedOut: '로그아웃되었습니다.',
  tokensRenewed: '토큰을 새로 발급했습니다.',
  accountDeleted: '회원 탈퇴가 완료되었습니다.',
  articleCreated: '글을 작성했습니다.',
  summaryRequested: '요약을 요청했습니다.',
  articleChanged: '글을 수정했습니다.',
  articleDeleted: '글을 삭제했습니다.',
  commentCreated: '댓글을 작성했습니다.',
  commentChanged: '댓글을 수정했습니다.',
  commentDeleted: '댓글을 삭제했습니다.',
  categoryCreated: '카테고리를 만들었습니다.',
  categoryRenamed: '카테고리 이름을 바꾸었습니다.',
  categoryDeleted: '카테고리를 삭제했습니다.',
  styleCreated: '문체를 만들었습니다.',
  styleChanged: '문체를 수정했습니다.',
  styleDeleted: '문체를 삭제했습니다.',
  textGenerated: '글의 문체를 바꾸었습니다.',
  promptResponseGenerated: 'AI 제공자가 응답했습니다.',
  notificationRead: '알림을 읽음으로 표시했습니다.',
  notificationsRead: '모든 알림을 읽음으로 표시했습니다.',
  streamOpened: '알림이 발생하는 대로 전달됩니다.',
  settingChanged: '설정을 변경했습니다.',
};
