/** Texts of the pages that the service writes itself, in Korean. */
import type { pages as english } from '../en/pages.js';
import type { Translation } from '../translation.js';

export const pages: Translation<typeof english> = {
  frontLead:
    '일기장이나 블로그를 위한 백엔드입니다. 글, 카테고리, 댓글, 알림을 GraphQL API와 REST API로 제공합니다. 독자용 화면은 없습니다.',
  frontSiteAbout: '이 글들을 읽을 수 있는 웹사이트입니다.',
  frontExplorer: 'GraphQL 탐색기',
  frontExplorerAbout: '자동 완성과 구독을 지원하는 쿼리 편집기입니다. 탭에 예제가 있습니다.',
  frontReference: 'REST 문서',
  frontReferenceAbout: '모든 엔드포인트, 스키마, 오류를 설명합니다. 이 화면에서 요청을 보낼 수 있습니다.',
  frontSandboxAbout: 'GraphQL API를 위한 Apollo의 탐색기이며, 인터넷에서 불러옵니다.',
  frontDescriptionAbout: 'REST API의 OpenAPI 설명이며, 코드 생성기에 사용합니다.',
  frontFeed: '피드',
  frontFeedAbout: '최신 글의 RSS 피드이며, Atom과 JSON Feed도 있습니다.',
  frontSitemap: '사이트맵',
  frontSitemapAbout: '검색 엔진을 위한 모든 글의 목록입니다.',
  frontLlmsAbout: '언어 모델을 위한 최신 글의 마크다운 파일 목록입니다.',
  frontNewest: '최신 글',
  frontCounts: (articles, tags) => `글 ${articles}개, 태그 ${tags}개`,
  frontComments: (count) => `댓글 ${count}개`,
  frontEmpty: '아직 글이 없습니다. 예제 글을 불러오거나 기존 글을 가져오십시오.',
  frontUnreadable: '지금은 글을 읽을 수 없습니다. 데이터베이스가 응답하지 않습니다. 나중에 다시 시도하십시오.',
  frontRead: '읽기',
  frontWrite: '계정을 만들고 글쓰기',
  frontAgent: '초안을 쓰는 에이전트 연결하기',
  frontFollow: '변경 사항 따라가기: 복사본, 빌드, 다른 프로그램',
  frontLiveness: '실행 상태',
  frontReadiness: '준비 상태',

  graphqlLead:
    'GraphQL API의 주소이며, 클라이언트가 이 주소로 쿼리를 보냅니다. 브라우저에서는 다음 화면을 사용하십시오.',
  graphqlExample: '쿼리 예제',
  graphqlHome: '첫 화면',
  graphqlHomeAbout: '최신 글과 서비스의 모든 화면이 있습니다.',
};
