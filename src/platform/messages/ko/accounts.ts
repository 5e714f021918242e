/** Messages about logins, sessions, passwords and members, in Korean. */
import type { accounts as english } from '../en/accounts.js';
import type { Translation } from '../translation.js';

export const accounts: Translation<typeof english> = {
  accessTokenInvalid: '액세스 토큰이 유효하지 않습니다. 다시 로그인하십시오.',
  refreshTokenAsAccess: '리프레시 토큰입니다. 액세스 토큰을 보내거나, 이 토큰을 새 토큰으로 교환하십시오.',
  sessionEnded: '이 액세스 토큰의 세션이 종료되었습니다.',
  refreshTokenReused: '이미 사용된 리프레시 토큰이어서 세션을 종료했습니다. 다시 로그인하십시오.',

  apiTokenMalformed: 'API 토큰이 아닙니다. 길이나 체크섬이 맞지 않습니다. 다시 복사하십시오.',
  apiTokenUnknown: 'API 토큰을 찾을 수 없습니다. 삭제되었을 수 있습니다.',
  apiTokenExpired: 'API 토큰이 만료되었습니다. 새로 만드십시오.',
  scopeMissing: (field, needed, held) =>
    `${field} 작업에는 다음 범위 중 하나가 있는 API 토큰이 필요합니다: ${needed.join(', ')}. 이 토큰의 범위: ${held.join(', ')}.`,
  draftIsScheduled:
    '발행이 예약된 초안은 범위 articles가 없는 API 토큰으로 수정할 수 없습니다. 작성자가 직접 수정하거나 먼저 예약을 취소해야 합니다.',
  draftIsShared:
    '공유 링크가 있는 초안은 수정 내용이 바로 공개되므로 범위 articles가 없는 API 토큰으로 수정할 수 없습니다. 작성자가 직접 수정하거나 먼저 링크를 종료해야 합니다.',
  notForApiTokens: (field) => `${field} 작업은 API 토큰으로 실행할 수 없습니다. 로그인하십시오.`,

  memberSuspended: (end, statement, rule) =>
    `계정 이용이 ${end === null ? '기한 없이' : `${end}(UTC)까지`} 정지되었습니다. 사유: ${statement} 규칙: ${rule}`,
  lastAdmin: '마지막 관리자의 역할은 바꿀 수 없습니다. 먼저 다른 회원을 관리자로 지정하십시오.',
  notOnYourself: '자신의 계정에는 할 수 없는 작업입니다.',
  roleRequired: (roles) => `다음 역할이 필요합니다: ${roles.join(', ')}.`,
  otherModeratorDecides: '본인의 결정에 대한 이의 신청은 다른 운영자가 심사합니다.',
  notAppealable: '이의를 신청할 수 없는 결정입니다.',
  appealTooLate: (months) => `이의는 결정 후 ${months}개월 안에만 신청할 수 있으며, 그 기간이 지났습니다.`,
  roleTooHigh: (role) => `${role} 역할을 가진 회원에게는 이 작업을 할 수 없습니다.`,

  currentPasswordWrong: '현재 비밀번호와 일치하지 않습니다.',
  currentPasswordRequired: '새 비밀번호를 설정하려면 필요합니다.',
  passwordRequiresEmail: '비밀번호로 로그인하려면 이메일이 필요하지만 이 계정에는 이메일이 없습니다.',
  passwordRequiresRecentLogin: '로그인한 뒤 10분 안에만 설정할 수 있습니다. 다시 로그인하십시오.',
  passwordRequired: '현재 비밀번호가 필요합니다.',
  noChanges: '변경할 내용이 없습니다. 필드나 파일을 하나 이상 보내십시오.',

  passkeyRejected:
    '이 패스키로 로그인할 수 없습니다. 패스키가 삭제되었거나 로그인에 5분 넘게 걸렸을 수 있습니다. 처음부터 다시 로그인하십시오.',
  passkeyLimitReached: (max) => `패스키는 최대 ${max}개까지 등록할 수 있습니다. 먼저 하나를 삭제하십시오.`,
  apiTokenLimitReached: (max) =>
    `API 토큰은 만료된 토큰을 포함하여 최대 ${max}개까지 만들 수 있습니다. 먼저 토큰을 삭제하십시오.`,
  categoryLimitReached: (max) => `기본 카테고리를 제외하고 카테고리를 최대 ${max}개까지 만들 수 있습니다.`,
  styleLimitReached: (max) => `사용자 지정 문체는 최대 ${max}개까지 만들 수 있습니다.`,
  credentialInvalid: (got) => `PublicKeyCredential.toJSON()의 결과여야 합니다. 받은 값: ${got}`,
  credentialPartInvalid: (part, maxBytes, got) =>
    `${part} 값은 패딩 없는 base64url로 된 1~${maxBytes}바이트여야 합니다. 받은 값: ${got}`,
  credentialRegistered: '이미 등록된 패스키입니다.',
  credentialChallengeInvalid:
    '챌린지가 유효하지 않습니다. 이미 사용되었거나, 요청한 지 5분이 지났거나, 다른 세션에서 요청했습니다. 옵션을 다시 요청하십시오.',
  credentialOriginWrong: (expected, got) =>
    `${expected.join(' 또는 ')}(WEBAUTHN_ORIGINS)의 최상위 페이지에서 만든 것이어야 합니다. 받은 값: ${got}`,
  attestationUnsupported: (got) => `옵션의 요청대로 증명이 없거나 자체 증명이어야 합니다. 받은 형식: ${got}`,
  credentialUnverifiable: (rpId) =>
    `검증할 수 없습니다. 사용자 확인, RP ID ${rpId}, 그리고 1,024바이트 이하의 ES256, EdDSA 또는 RS256 키가 필요합니다.`,

  providerUnsupported: (names) => `지원하지 않는 로그인 제공자입니다. 사용할 수 있는 제공자: ${names.join(', ')}.`,
  noLoginProvider: '설정된 로그인 제공자가 없습니다.',
  passwordOfRepeatedRegistration:
    '필수입니다. 이 주소로 두 번 이상 가입 신청이 있었으며, 다른 사람이 신청했을 수 있습니다. 계정의 비밀번호를 새로 정하십시오.',
  passwordOnlyForRegistration: '보낼 수 없습니다. 이 링크는 기존 계정의 주소를 변경합니다.',
  subjectInvalid: (provider, got) =>
    `${provider}에서 보낸 계정 식별자가 올바르지 않습니다. 1~255자의 ASCII 문자여야 합니다. 받은 값: ${got}`,
  loginNotConfirmed: (provider) => `${provider}에서 이 로그인을 확인하지 못했습니다. 처음부터 다시 로그인하십시오.`,
  redirectNotAllowed: '허용된 리디렉션 주소가 아닙니다.',
  accountExists: (provider) =>
    `이 ${provider} 계정의 이메일로 가입한 계정이 이미 있습니다. 기존 방식으로 로그인한 뒤 ` +
    'linkSocialAccount 뮤테이션으로 연결하십시오.',
  linkedToAnother: (provider) => `이 ${provider} 계정은 다른 회원에게 연결되어 있습니다.`,
};
