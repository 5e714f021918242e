/** Texts of notifications and messages about notification streams, in Korean. */
import type { DecidedContent, notifications as english } from '../en/notifications.js';
import type { Translation } from '../translation.js';

function content(target: DecidedContent | null, title: string): string {
  if (target === null) return '콘텐츠';
  const isArticle = target === 'ARTICLE';
  if (title === '') return isArticle ? '글' : '댓글';
  return isArticle ? `글 “${title}”` : `“${title}”의 댓글`;
}

export const notifications: Translation<typeof english> = {
  commented: (actor, title) => `${actor} 님이 회원님의 글 “${title}”에 댓글을 남겼습니다.`,
  replied: (actor, title) => `${actor} 님이 “${title}”에 남긴 회원님의 댓글에 답글을 남겼습니다.`,
  liked: (members, title) => `${members}명이 회원님의 글 “${title}”을(를) 좋아합니다.`,
  mentioned: (actor, title) => `${actor} 님이 “${title}”에서 회원님을 언급했습니다.`,
  mentionedInComment: (actor, title) => `${actor} 님이 “${title}”의 댓글에서 회원님을 언급했습니다.`,
  followed: (actor) => `${actor} 님이 회원님을 팔로우합니다.`,
  articlePublished: (actor, title) => `${actor} 님이 “${title}” 글을 발행했습니다.`,
  summaryReady: (title) => `회원님의 글 “${title}”의 요약이 준비되었습니다.`,
  summaryFailed: (title) => `회원님의 글 “${title}”의 요약을 만들지 못했습니다.`,
  published: (title) => `“${title}” 글이 예약한 시각에 발행되었습니다.`,
  notPublished: (title) => `초안 “${title}”을(를) 예약한 시각에 발행하지 못했습니다.`,
  untitledNotPublished: '제목이 없는 초안을 예약한 시각에 발행하지 못했습니다.',
  contentRemoved: (target, title) => `회원님의 ${content(target, title)} 게시가 중단되었습니다.`,
  contentRestored: (target, title) =>
    target === null
      ? '회원님의 콘텐츠를 게시 중단한 결정이 취소되었습니다.'
      : `회원님의 ${content(target, title)} 게시가 재개되었습니다.`,
  suspended: '회원님의 계정이 정지되었습니다. 읽기는 가능하지만 쓰기는 할 수 없습니다.',
  unsuspended: '회원님 계정의 정지가 해제되었습니다.',
  decisionUpheld: '회원님의 이의 신청이 기각되어 결정이 그대로 유지됩니다.',
  reportedRemoved: (target, title) => `회원님이 신고하신 ${content(target, title)} 게시가 중단되었습니다.`,
  reportActedOn: '회원님의 신고를 검토하여 조치했습니다.',
  reportDismissed: (target, title) =>
    target === null
      ? '회원님의 신고를 검토했으며, 조치하지 않기로 했습니다.'
      : `회원님이 신고하신 ${content(target, title)}에 대해 검토했으며, 조치하지 않기로 했습니다.`,
  approvalRule: '댓글은 승인된 뒤에 표시됩니다.',
  notApproved: '운영진이 댓글을 검토한 뒤 승인하지 않았습니다.',

  notSettable: '다른 종류여야 합니다. 운영진의 결정은 항상 알립니다.',
  emailsNeedAddress: '확인된 이메일 주소가 필요하지만 이 계정에는 확인된 이메일 주소가 없습니다.',
  unsubscribeTitle: '알림 이메일',
  unsubscribeQuestion:
    '회원님 계정의 알림 이메일을 모두 끄시겠습니까? 알림은 로그인한 뒤 계속 볼 수 있으며, 계정 보안에 관한 이메일은 계속 보냅니다.',
  unsubscribeButton: '알림 이메일 끄기',
  unsubscribed: '알림 이메일을 껐습니다. 계정의 알림 설정에서 다시 켤 수 있습니다.',
  unsubscribeLinkInvalid:
    '유효하지 않은 링크입니다. 더 최근 이메일의 링크를 열거나, 계정의 설정에서 알림 이메일을 끄십시오.',

  tooManyStreams: (open, max) =>
    `열려 있는 스트림이 ${open}개이며 최대 ${max}개까지 열 수 있습니다. 더 이상 필요하지 않은 스트림을 닫으십시오.`,
  serverStopping: '이 프로세스가 종료됩니다. 다시 연결하십시오.',
};
