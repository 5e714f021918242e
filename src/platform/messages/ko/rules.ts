/** Validation messages of one field, in Korean: full sentences, shown next to the name of the field. */
import type { rules as english } from '../en/rules.js';
import type { Translation } from '../translation.js';

export const rules: Translation<typeof english> = {
  required: '필수 항목입니다.',
  requiredOr: (allowed) => `필수 항목입니다. 대신 사용할 수 있는 항목: ${allowed.join(', ')}`,
  mustBeString: (got) => `문자열이어야 합니다. 받은 값: ${got}`,
  mustBeBoolean: (got) => `true 또는 false여야 합니다. 받은 값: ${got}`,
  mustBeWholeNumber: (got) => `정수여야 합니다. 받은 값: ${got}`,
  mustBeNumber: (got) => `숫자여야 합니다. 받은 값: ${got}`,
  mustBeId: (got) => `양의 정수여야 합니다. 받은 값: ${got}`,
  mustBeIdOrZero: (got) => `0 또는 양의 정수여야 합니다. 받은 값: ${got}`,
  mustBeOther: '본인이 아닌 다른 회원이어야 합니다.',
  mustBeOfOther: '본인이거나 본인이 작성한 것이 아니어야 합니다.',
  oneTarget: (fields) => `${fields.join(', ')} 중 하나만 있어야 합니다.`,
  actionNotForTarget: (actions, got) => `이 대상에는 ${actions.join(' 또는 ')}만 가능합니다. 받은 값: ${got}`,
  requiredFor: (actions) => `${actions.join(', ')}에는 필수입니다.`,
  onlyFor: (action) => `${action}에만 사용할 수 있습니다.`,
  mustBeLater: (got) => `미래 시각이어야 합니다. 받은 값: ${got}`,
  pageTooFar: (max) =>
    `이 목록의 처음 ${max}개 글 안에 있어야 합니다. 나머지 글은 GraphQL의 followedArticleConnection에 있습니다.`,
  mustBeTime: (got) =>
    `2026-11-20T09:30:00과 같은 UTC 시각, 날짜 또는 오프셋이 있는 시각이어야 합니다. 받은 값: ${got}`,
  mustBeDate: (got) => `2026-11-20과 같은 날짜여야 합니다. 받은 값: ${got}`,
  wrongPeriod: (days, from, to) =>
    `시작일은 종료일보다 늦지 않아야 하며 기간은 최대 ${days}일입니다. 받은 기간: ${from} ~ ${to}`,
  mustBeFuture: (days, got) => `지금부터 ${days}일 이내의 미래 시각이어야 합니다. 받은 값: ${got}`,
  mustBeMinuteAhead: (days, got) => `지금부터 1분 이후, ${days}일 이내의 시각이어야 합니다. 받은 값: ${got}`,
  mustBePast: (got) =>
    `1970-01-01T00:00:00Z부터 지금까지의 시각이어야 합니다. 받은 값: ${got}. 나중에 발행하려면 초안의 발행을 예약해야 합니다.`,
  mustBeUuid: (got) => `UUID여야 합니다. 받은 값: ${got}`,
  mustBeFrom: (min, got) => `${min} 이상의 정수여야 합니다. 받은 값: ${got}`,
  mustBeBetween: (min, max, got) => `${min} 이상 ${max} 이하의 정수여야 합니다. 받은 값: ${got}`,
  mustBeListOf: (words, got) =>
    `다음 값을 한 번씩, 쉼표로 구분하여 하나 이상 지정해야 합니다: ${words.join(', ')}. 받은 값: ${got}`,
  mustBeOneOf: (words, got) => `다음 중 하나여야 합니다: ${words.join(', ')}. 받은 값: ${got}`,
  mustBeArray: (got) => `배열이어야 합니다. 받은 값: ${got}`,
  each: (violation) => `각 요소에 대한 규칙: ${violation}`,
  tooManyElements: (max, got) => `요소는 최대 ${max}개까지입니다. 받은 개수: ${got}`,
  elementRepeated: (element) => `요소는 각각 한 번만 지정할 수 있습니다. 반복된 값: ${element}`,
  mustHaveElement: '요소가 하나 이상 있어야 합니다.',
  tooManyWords: (max, got) => `단어는 최대 ${max}개까지입니다. 받은 개수: ${got}`,
  lengthWrong: (min, max, got) => `길이는 ${min}자 이상 ${max}자 이하여야 합니다. 받은 길이: ${got}자`,
  blank: '공백만으로 채울 수 없습니다.',
  notOneLine: '제어 문자가 없는 한 줄이어야 합니다.',
  containsNul: '문자 U+0000은 사용할 수 없습니다.',
  notWellFormed: '올바른 유니코드여야 합니다. 짝이 없는 서로게이트를 받았습니다.',
  notSlug: (got) => `글자와 결합 문자와 숫자로 이루어진 낱말을 하이픈 하나로 이은 것이어야 합니다. 받은 값: ${got}`,
  notLanguage: (got) => `ko, pt-BR와 같은 BCP 47 언어 태그여야 합니다. 받은 값: ${got}`,
  mustBeOtherArticle: '이 글이 아닌 다른 글이어야 합니다.',
  requiredWith: (field) => `${field}을(를) 지정하면 필수입니다.`,
  requiredOfTranslations: '번역이 있는 글에는 필수입니다. 번역에서 빼려면 translationOf를 0으로 지정하십시오.',
  articleWithoutLanguage: (id) => `언어가 지정된 글이어야 합니다. 언어가 없는 글: ${id}`,
  tooManyTranslations: (max) => `자신을 포함해 서로 번역인 글이 ${max}개보다 적은 글이어야 합니다.`,
  notWebAddress: (got) => `사용자 이름과 비밀번호가 없는 http 또는 https 절대 주소여야 합니다. 받은 값: ${got}`,
  notEmail: 'name@example.org와 같은 이메일 주소여야 합니다.',
  nameInvisible: (codePoint) => `보이지 않거나 할당되지 않은 문자는 사용할 수 없습니다. 받은 문자: ${codePoint}`,
  nameMixesScripts:
    '현대에 쓰이는 한 가지 문자 체계로 쓰거나 거기에 로마자를 더해 써야 합니다. 키릴 문자와 그리스 문자는 로마자와 섞을 수 없습니다.',
  nameStacksMarks: '결합 문자를 겹쳐 쓸 수 없습니다.',
  nameReserved: '예약된 이름은 사용할 수 없습니다.',
  passwordCommon: '가장 먼저 추측되는 흔한 비밀번호는 사용할 수 없습니다.',

  unknownField: (known) => `여기에 없는 필드입니다. 사용할 수 있는 필드: ${known.join(', ') || '없음'}`,
  notTogetherWith: (other, allowed) =>
    `${other}와(과) 함께 사용할 수 없습니다. 함께 사용할 수 있는 항목: ${allowed.join(', ')}`,
  unknownParameter: (known) =>
    `여기에 없는 쿼리 매개변수입니다. 사용할 수 있는 매개변수: ${known.join(', ') || '없음'}`,
  unknownPart: '여기에 없는 파트입니다. 사용할 수 있는 파트: request, file',
  parameterRepeated: (times) => `한 번만 지정할 수 있습니다. 받은 횟수: ${times}`,
  partRepeated: (parts) => `파트는 하나만 보낼 수 있습니다. 받은 개수: ${parts}`,

  invalidChangeCursor: 'latest이거나 변경 페이지에서 받은 커서여야 합니다.',
  webhookUrlInvalid:
    '공개 주소의 https URL이어야 하며 사용자 이름과 비밀번호를 포함할 수 없습니다. 다른 주소는 WEBHOOK_ALLOWED_HOSTS로 허용합니다.',
  eventStandsAlone: (event) => `${event}은(는) 다른 이벤트와 함께 사용할 수 없습니다.`,
  invalidCursor: '이 목록에서 같은 정렬로 받은 커서여야 합니다.',
  periodWithoutCount: '좋아요나 조회수 정렬(likeCount,desc 또는 viewCount,desc)에서만 사용할 수 있습니다.',
  cannotCombineWithIfMatch: 'If-Match 헤더와 함께 사용할 수 없습니다.',
  cannotCombineWithFirst: 'first와 함께 사용할 수 없습니다.',
  cannotCombineWithImage: '새 이미지와 함께 사용할 수 없습니다.',
};
