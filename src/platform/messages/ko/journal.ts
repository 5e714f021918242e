/** Messages about articles, categories, tags and comments, in Korean. */
import type { journal as english } from '../en/journal.js';
import type { Translation } from '../translation.js';

export const journal: Translation<typeof english> = {
  baseRevisionOutdated: (base, current) =>
    `초안은 글의 버전 ${base}에서 시작했지만 현재 버전은 ${current}입니다. 글을 다시 조회한 뒤 이 \`baseRevision\`으로 초안을 저장하십시오.`,
  onlyArticleAuthorHides: '글의 댓글은 글 작성자만 숨길 수 있습니다.',
  onlyArticleAuthorApproves: '글의 댓글은 글 작성자나 관리자만 승인할 수 있습니다.',
  removedByModerator: '관리자가 삭제 조치한 내용입니다. 조회하고 삭제할 수 있지만 변경할 수 없습니다.',
  changesAreFilled: '이 저널의 변경 목록을 처음으로 만들고 있습니다. 몇 초 후 다시 시도하십시오.',
  webhookLimitReached: (max) => `웹훅은 최대 ${max}개까지 만들 수 있습니다. 먼저 하나를 삭제하십시오.`,
  webhookCursorExpired:
    '이 위치 이후의 변경을 모두 전달할 수는 없습니다. `latest`로 웹훅을 다시 시작하고, 수신 프로그램에서 저널을 처음부터 다시 읽으십시오.',
  noOwnArticle: (id) => `내 글 중에 이 ID의 글이 없습니다: ${id}`,
  noCategoryNamed: (name) => `이 이름의 카테고리가 없습니다: ${name}`,
};
