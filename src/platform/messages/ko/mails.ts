/** Texts of emails, in Korean. */
import type { mails as english } from '../en/mails.js';
import type { Translation } from '../translation.js';

export const mails: Translation<typeof english> = {
  mailPasswordResetSubject: '비밀번호 재설정',
  mailPasswordReset: '이 이메일 주소를 사용하는 회원님의 계정에 새 비밀번호가 요청되었습니다.',
  mailPasswordResetValidity:
    '링크는 1시간 동안 유효하며 한 번만 사용할 수 있습니다. 요청하지 않으셨다면 이 이메일을 무시하십시오. 비밀번호는 바뀌지 않습니다.',
  mailPasswordResetButton: '새 비밀번호 설정',

  mailConfirmSubject: '이메일 주소 확인',
  mailConfirm: '이 이메일 주소가 회원님의 계정에 속하는지 확인해 주십시오.',
  mailConfirmChange: (nickname) =>
    `이 이메일 주소가 “${nickname}” 계정의 새 주소임을 확인하십시오. 내 계정이 아니라면 확인하지 마십시오.`,
  mailConfirmValidity:
    '링크는 3일 동안 유효하며 한 번만 사용할 수 있습니다. 요청하지 않으셨다면 이 이메일을 무시하십시오. 아무것도 바뀌지 않습니다.',
  mailConfirmButton: '주소 확인',

  mailAddressChangedSubject: '계정의 이메일 주소 변경 안내',
  mailAddressChanged: '회원님의 계정에 다른 이메일 주소가 입력되었습니다. 새 주소가 확인되면 이 주소를 대신합니다.',
  mailAddressChangedUndo:
    '직접 변경하지 않으셨다면 1주일 안에 변경을 취소하십시오. 계정은 이 주소를 유지하거나 되찾으며, 모든 기기에서 로그아웃됩니다.',
  mailAddressChangedButton: '변경 취소',

  mailRegistrationSubject: '이미 가입한 계정이 있습니다',
  mailRegistration:
    '이미 계정이 있는 이 이메일 주소로 새로운 가입이 시도되었습니다. 회원님이 시도하셨을 수도 있습니다.',
  mailRegistrationAdvice:
    '기존 계정으로 로그인하십시오. 비밀번호를 잊으셨다면 재설정하십시오. 회원님이 아니라면 이 이메일을 무시하십시오. 바뀐 것은 없습니다.',

  mailPasswordChangedSubject: '비밀번호가 변경되었습니다',
  mailPasswordChanged: '회원님 계정의 비밀번호가 변경되었으며, 다른 모든 기기에서 로그아웃되었습니다.',
  mailNewDeviceSubject: '새 기기에서 로그인했습니다',
  mailNewDevice: '이전에 사용하지 않은 기기에서 회원님의 계정으로 로그인했습니다.',
  mailPasskeyAddedSubject: '패스키가 추가되었습니다',
  mailPasskeyAdded: (name) => `회원님의 계정에 패스키가 추가되었습니다: “${name}”. 이 패스키로 로그인할 수 있습니다.`,
  mailPasskeyRemovedSubject: '패스키가 삭제되었습니다',
  mailPasskeyRemoved: (name) => `회원님의 계정에서 패스키가 삭제되었습니다: “${name}”.`,
  mailApiTokenSubject: 'API 토큰이 만들어졌습니다',
  mailApiToken: (name) => `회원님의 계정에 API 토큰이 만들어졌습니다: “${name}”.`,
  mailSocialLinkedSubject: '소셜 계정이 연결되었습니다',
  mailSocialLinked: (provider) =>
    `회원님의 계정에 ${provider} 계정이 연결되었습니다. 이 계정으로 로그인할 수 있습니다.`,
  mailSocialUnlinkedSubject: '소셜 계정 연결이 해제되었습니다',
  mailSocialUnlinked: (provider) => `회원님의 계정에서 ${provider} 계정의 연결이 해제되었습니다.`,
  mailNoticeTime: (time) => `시각: ${time} (UTC)`,
  mailNoticeDevice: (device) => `기기: ${device}`,
  mailNoticeAddress: (address) => `네트워크 주소: ${address}`,
  mailNoticeAdvice: '직접 하지 않으셨다면 비밀번호를 재설정하고, 계정의 기기와 로그인 방법을 확인하십시오.',

  mailDecisionUntil: (time) => `기한: ${time} (UTC)`,
  mailDecisionWithoutEnd: '기한: 없음',
  mailDecisionRule: (rule) => `규칙: ${rule}`,
  mailDecisionReason: (statement) => `이유: ${statement}`,
  mailDecisionByPerson: '이 결정은 프로그램이 아니라 사람이 내렸습니다.',
  mailDecisionAppeal: (id, time) =>
    `${time} (UTC)까지 한 번 이의를 신청할 수 있습니다. 로그인한 뒤 ${id}번 결정을 여십시오. 다른 운영자가 있으면 그 운영자가 이의 신청을 심사합니다.`,
  mailDecisionRemedies: '법원에 소를 제기하거나 인증된 분쟁 조정 기관을 이용할 수도 있습니다.',
  mailDecisionButton: '웹사이트 열기',

  mailWebhookSubject: '웹훅이 비활성화되었습니다',
  mailWebhook: (id, host) => `저널의 변경을 ${host}(으)로 보내는 웹훅 ${id}이(가) 비활성화되었습니다.`,
  mailWebhookFailed: '약 사흘 동안 열 번 연속으로 전달하지 못했습니다.',
  mailWebhookGone: '수신 서버가 410(Gone)으로 응답했습니다.',
  mailWebhookSecret:
    '비밀 키를 해독할 수 없습니다. JWT_SECRET_PREVIOUS 없이 JWT_SECRET이 변경되었습니다. 비밀 키를 교체하십시오.',
  mailWebhookExpired: '현재 위치 이후의 변경을 모두 전달할 수는 없습니다. “latest”로 다시 시작하십시오.',
  mailWebhookAdvice: '관리자가 다시 시작할 때까지 아무것도 보내지 않습니다. 그때까지의 변경은 보관됩니다.',

  mailNotificationButton: '글 읽기',
  mailDigestSubject: (count) => `새 알림 ${count}개`,
  mailDigest: '지난 이메일 이후에 도착한 알림입니다.',
  mailDigestMore: (count) => `그 밖의 알림 ${count}개`,

  mailLinkFallback: '버튼이 작동하지 않으면 다음 주소를 여십시오.',
  mailFooter: (site) => `${site} 계정이 있는 회원님께 보내는 이메일입니다.`,
  mailUnsubscribe: '알림 이메일 수신 거부',
};
