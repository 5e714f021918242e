/** Error messages about a request as a whole, in Korean. */
import type { requests as english, QueueName, RateLimitSubject } from '../en/requests.js';
import type { Translation } from '../translation.js';

export const requests: Translation<typeof english> = {
  routeNotFound: (path) => `이 주소에는 아무것도 없습니다: ${path}`,
  routeNotFoundNear: (path, nearest) => `이 주소에는 아무것도 없습니다: ${path} 가장 비슷한 주소: ${nearest}`,
  routeWithoutPrefix: (path) => `이 주소에는 아무것도 없습니다: ${path} 앞에 /api를 붙이십시오.`,
  methodNotAllowed: (methods, got) => `여기에서 사용할 수 있는 메서드: ${methods.join(', ')}. 받은 메서드: ${got}.`,
  invalidPercentEncoding: '주소에 UTF-8 이스케이프가 아닌 %가 있습니다.',
  urlNotUtf8: 'URL에 UTF-8이 아닌 바이트가 있습니다. 문자를 UTF-8로 퍼센트 인코딩하십시오.',
  urlNotEncoded: 'URL에 ASCII가 아닌 문자가 있습니다. UTF-8로 퍼센트 인코딩하십시오.',
  hostHeaderMissing: 'Host 헤더가 없습니다.',
  hostHeaderRepeated: 'Host 헤더를 여러 번 보냈습니다.',
  hostHeaderInvalid: (got) =>
    `Host 헤더는 example.org:4000과 같은 호스트여야 하며 포트는 생략할 수 있습니다. 받은 값: ${got}`,
  tooManyHeaders: (max) => `요청의 헤더는 최대 ${max}개까지 받습니다.`,
  tooManyConnections: (max) =>
    `한 네트워크에서 동시에 열 수 있는 연결은 최대 ${max}개입니다. 먼저 일부 연결을 닫으십시오.`,
  tooManyPipelined: (max) =>
    `연결 하나에서 동시에 처리할 수 있는 요청은 최대 ${max}개입니다. 응답을 받은 뒤에 더 보내십시오.`,

  headerRepeated: (got) => `이 헤더는 한 번만 보내야 합니다. 받은 개수: ${got}.`,
  idempotencyKeyInvalid: (max, got, length) =>
    `공백이 아닌 ASCII 문자 1~${max}자여야 합니다. 받은 값: ${got} (${length}자).`,
  headerNeedsOneMutation: (header, got) =>
    `${header} 헤더는 뮤테이션 필드가 하나인 문서에만 사용할 수 있습니다. 받은 개수: ${got}.`,
  keyedOperationTooCostly: (max, cost) =>
    `Idempotency-Key를 사용하는 작업의 비용은 최대 ${max}이지만, 이 작업의 비용은 ${cost}입니다. 필드를 더 적게 선택하십시오.`,
  ifMatchInvalid: (got) => `* 또는 W/"3.0" 형식의 엔티티 태그 목록이어야 합니다. 받은 값: ${got}.`,
  revisionOutdated: (current, condition, got) =>
    `현재 버전은 ${current}, ${condition}은(는) ${got}입니다. 다시 읽은 뒤 변경하십시오.`,

  bodyEmpty: '본문이 비어 있습니다. JSON 객체가 필요합니다.',
  bodyNotUtf8: '본문이 UTF-8이 아닙니다.',
  bodyNotJson: '본문이 JSON이 아닙니다. 객체가 필요합니다.',
  bodyNotJsonAt: (line, column) =>
    `본문이 JSON이 아닙니다. 오류 위치: ${line}번째 줄, ${column}번째 글자. 객체가 필요합니다.`,
  bodyNotObject: (got) => `본문은 JSON 객체여야 합니다. 받은 값: ${got}.`,
  bodyIsArray: '본문은 JSON 객체여야 하지만 배열을 받았습니다.',
  bodyTooLarge: (max) => `본문은 최대 ${bytes(max)}까지 받습니다.`,
  bodyTruncated: '본문이 중간에 끊겼습니다.',
  bodyUnreadable: '본문을 읽을 수 없습니다.',
  bodyTimeout: (seconds) => `본문이 ${seconds}초 안에 도착하지 않았습니다.`,
  chunksTooSmall: '본문의 청크가 너무 작습니다. 더 큰 청크로 보내거나 Content-Length를 사용하십시오.',
  bodyMemoryFull: '서비스가 처리 중인 요청 본문이 너무 많습니다. 잠시 후에 다시 시도하십시오.',
  bodyMemoryPerNetworkFull:
    '사용 중인 네트워크에서 한꺼번에 보낸 요청 본문이 너무 많습니다. 일부 응답을 받은 뒤에 다시 시도하십시오.',
  tooManyUploads: (max) =>
    `회원 한 명이 동시에 업로드할 수 있는 파일은 최대 ${max}개입니다. 하나가 끝난 뒤에 다시 시도하십시오.`,
  charsetUnsupported: (got) => `JSON은 UTF-8로만 받습니다. 받은 문자 집합: ${got}.`,
  encodingUnsupported: (accepted, got) =>
    `Content-Encoding은 없거나 다음 중 하나여야 합니다: ${accepted.join(', ')}. 받은 값: ${got}.`,
  encodingForbidden: (got) =>
    `Content-Encoding은 로그인한 회원의 JSON에만 사용할 수 있습니다. 이 본문은 압축하지 않고 보내십시오. 받은 값: ${got}.`,
  contentTypeMissing: (types) => `Content-Type 헤더가 없습니다. 사용할 수 있는 형식: ${types.join(', ')}.`,
  contentTypeUnsupported: (types, got) =>
    `Content-Type은 다음 중 하나여야 합니다: ${types.join(', ')}. 받은 값: ${got}.`,

  partsMissing: '본문에 파트가 없습니다. request(JSON)나 file, 또는 둘 다 필요합니다.',
  partTooLarge: (max, name) => `파트 하나는 최대 ${bytes(max)}까지 받습니다. 너무 큰 파트: ${name}.`,
  multipartInvalid: (reason) => `multipart 본문이 잘못되었습니다. ${reason}. RFC 7578을 따라야 합니다.`,
  boundaryMissing: 'Content-Type에 boundary가 없습니다',
  partHeadersTooLarge: (max) => `파트 하나의 헤더가 ${bytes(max)}보다 큽니다`,
  partNameMissing: '파트에 Content-Disposition: form-data; name="…" 헤더가 없습니다',
  tooManyParts: (max) => `파트가 ${max}개보다 많습니다`,
  multipartTruncated: '중간에 끊겼거나 boundary가 본문에 없습니다',

  subscriptionRequiresWebSocket:
    '구독은 같은 주소에서 graphql-transport-ws 프로토콜을 사용하는 WebSocket으로 실행합니다.',
  onlySubscriptionsAllowed: '여기에서는 구독만 실행할 수 있습니다. 쿼리와 뮤테이션은 같은 주소에 POST로 보내십시오.',
  graphqlError: (text) => `GraphQL 요청이 올바르지 않습니다: ${text}`,
  graphqlParameterNotText: (name, got) => `문자열이어야 하는 매개변수입니다: ${name}. 받은 값: ${got}.`,
  graphqlParameterNotObject: (name, got) => `JSON 객체여야 하는 매개변수입니다: ${name}. 받은 값: ${got}.`,
  graphqlParameterRepeated: (name, count) => `한 번만 보내야 하는 매개변수입니다: ${name}. 받은 횟수: ${count}.`,
  persistedQueryInvalid: (got) =>
    `확장 persistedQuery에는 version 1과 문자열 sha256Hash가 있어야 합니다. 받은 값: ${got}.`,
  persistedHashWrong: '저장된 질의의 해시가 문서의 해시와 다릅니다.',
  graphqlContentTypeUnsupported:
    'Content-Type은 application/json이어야 하며, 파일을 보낼 때는 multipart/form-data여야 합니다.',
  partMissing: (name) => `필요한 JSON 파트가 없습니다: ${name}`,
  partNotObject: (name) => `JSON 객체여야 하는 파트입니다: ${name}`,
  graphqlSecretInUrl: '이 쿼리의 인수인 토큰은 URL에 넣을 수 없습니다. POST로 보내십시오.',
  fileMapInvalid: (name) => `map 파트에 파일의 위치가 올바르게 적혀 있지 않습니다: ${name}`,
  queryTooLong: (max, got) => `문서는 최대 ${max}자까지 받습니다. 받은 길이: ${got}자.`,
  queryRepeatsName: (name, max) => `문서에 같은 이름이 ${max}번보다 많이 나옵니다: ${name}`,
  queryTooDeep: (levels) => `쿼리가 ${levels}단계보다 깊습니다.`,
  queryTooManyAliases: (max) => `쿼리의 별칭이 ${max}개보다 많습니다.`,
  queryTooManyTokens: (max) => `쿼리의 토큰이 ${max}개보다 많습니다.`,
  fieldMisplaced: (field, roots) =>
    `${field} 필드는 ${roots.join(', ')} 바로 아래에서만 선택할 수 있습니다. 객체마다 쿼리가 하나씩 필요하기 때문입니다.`,
  queryTooCostly: (max, cost) =>
    `쿼리의 비용은 최대 ${max}이지만 ${Number.isFinite(cost) ? `${cost}입니다` : '이를 훨씬 넘습니다'}. 필드마다 목록의 길이만큼 비용이 듭니다.`,

  tooManyVariableValues: (max) => `변수의 값이 ${max}개보다 많습니다.`,
  responseTooLarge: (megabytes) => `응답이 ${megabytes}MiB보다 커집니다. 한 번에 더 적게 요청하십시오.`,

  tooMany: (what, seconds) => `${COUNTED[what]} 너무 많습니다. ${time(seconds)} 후에 다시 시도하십시오.`,
  metricsOff: 'PUBLIC_URL이 로컬 주소가 아니므로 지표를 제공하지 않습니다. METRICS_TOKEN을 설정하면 제공합니다.',
  metricsTokenRequired:
    '지표를 읽으려면 METRICS_TOKEN이 필요합니다. "Authorization: Bearer <METRICS_TOKEN>"을 보내십시오.',
  diskFull:
    '서버의 디스크 공간이 부족하여 아무것도 저장하지 않았습니다. 운영자가 공간을 확보한 뒤에 다시 시도하십시오.',
  tooBusy: (what) => `처리 중인 ${WORK[what]} 너무 많습니다. 잠시 후에 다시 시도하십시오.`,
};

/** Nouns with their subject particle (이/가). */
const COUNTED: Record<RateLimitSubject, string> = {
  'failed logins': '로그인 실패가',
  'rejected social logins': '거부된 소셜 로그인이',
  'rejected refresh tokens': '거부된 리프레시 토큰이',
  'wrong passwords': '잘못된 비밀번호 입력이',
  registrations: '회원가입 시도가',
  'requests for links': '링크 요청이',
  'changes of the email address': '이메일 주소 변경 요청이',
  'emails to one address': '같은 주소로 보낸 이메일이',
  'options for passkeys': '패스키 옵션 요청이',
  'archive downloads': '보관 파일 다운로드가',
  'new API tokens': '새로 만든 API 토큰이',
  'shared texts': '공유된 글 요청이',
  reports: '신고가',
  changes: '변경 요청이',
  'bytes of text': '보낸 텍스트가',
  'texts that take long to render': '변환에 오래 걸리는 글이',
};

const WORK: Record<QueueName, string> = {
  images: '이미지가',
  logins: '로그인이',
  'articles to render': '글이',
  'expensive operations': '비용이 큰 작업이',
  'large responses': '큰 응답이',
  statements: '데이터베이스 요청이',
  changes: '변경 요청이',
  'long articles': '긴 글이',
  summaries: '요약이',
  'AI requests': 'AI 요청이',
  searches: '검색이',
  archives: '보관 파일이',
};

function time(seconds: number): string {
  return seconds < 120 ? `${seconds}초` : `${Math.ceil(seconds / 60)}분`;
}

/** `1,048,576바이트`. */
function bytes(count: number): string {
  return `${count.toLocaleString('ko-KR')}바이트`;
}
