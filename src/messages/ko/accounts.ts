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
  notForApiTokens: (field) => `${field} 작업은 API 토큰으로 실행할 수 없습니다. 로그인하십시오.`,

  currentPasswordWrong: '현재 비밀번호와 일치하지 않습니다.',
  currentPasswordRequired: '새 비밀번호를 설정하려면 필요합니다.',
  passwordRequiresEmail: '비밀번호로 로그인하려면 이메일이 필요하지만 이 계정에는 이메일이 없습니다.',
  passwordRequiresRecentLogin: '로그인한 뒤 10분 안에만 설정할 수 있습니다. 다시 로그인하십시오.',
  passwordRequired: '현재 비밀번호가 필요합니다.',
  noChanges: '변경할 내용이 없습니다. 필드나 파일을 하나 이상 보내십시오.',

  providerUnsupported: (names) => `지원하지 않는 로그인 제공자입니다. 사용할 수 있는 제공자: ${names.join(', ')}.`,
  noLoginProvider: '설정된 로그인 제공자가 없습니다.',
  loginNotConfirmed: (provider) => `${provider}에서 이 로그인을 확인하지 못했습니다. 처음부터 다시 로그인하십시오.`,
  redirectNotAllowed: '허용된 리디렉션 주소가 아닙니다.',
  accountExists: (provider) =>
    `이 ${provider} 계정의 이메일로 가입한 계정이 이미 있습니다. 기존 방식으로 로그인한 뒤 ` +
    'linkSocialAccount 뮤테이션으로 연결하십시오.',
  linkedToAnother: (provider) => `이 ${provider} 계정은 다른 회원에게 연결되어 있습니다.`,
};
