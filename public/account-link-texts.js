/** The texts of the page of links in emails. The page itself has those in English that are the same on all of its paths; results are those of the service. */
export const TEXTS = {
  en: {
    unreachable: 'The service could not be reached. Try again.',
    email: 'Email',
    password: 'New password',
    reset: {
      title: 'New password',
      lead: 'Enter a new password of 8 to 128 characters. All devices will be logged out.',
      request: 'Enter the email address of your account to receive a link for a new password.',
    },
    confirm: {
      title: 'Confirm your email address',
      lead: 'Confirm that this email address belongs to your account.',
      request: 'Enter the email address to receive a confirmation link.',
      act: 'Confirm the address',
      again:
        'This address was registered more than once, perhaps by another person. Choose the password of the account.',
    },
    undo: {
      title: 'Undo the change of your email address',
      lead: 'Your account keeps or regains this email address, and all devices will be logged out.',
      request: 'Open the complete link in the email about the change of your address.',
      act: 'Undo the change',
    },
  },
  ko: {
    unreachable: '서비스에 연결할 수 없습니다. 다시 시도하십시오.',
    email: '이메일',
    newPassword: '새 비밀번호',
    password: '새 비밀번호',
    showPassword: '비밀번호 표시',
    setPassword: '비밀번호 설정',
    sendLink: '링크 보내기',
    resetPassword: '다른 사람이 비밀번호를 알고 있다면 새 비밀번호를 설정하십시오',
    reset: {
      title: '새 비밀번호',
      lead: '8~128자의 새 비밀번호를 입력하십시오. 모든 기기에서 로그아웃됩니다.',
      request: '새 비밀번호 링크를 받을 계정의 이메일 주소를 입력하십시오.',
    },
    confirm: {
      title: '이메일 주소 확인',
      lead: '이 이메일 주소가 내 계정의 주소임을 확인하십시오.',
      request: '확인 링크를 받을 이메일 주소를 입력하십시오.',
      act: '주소 확인',
      again:
        '이 주소로 두 번 이상 가입 신청이 있었으며, 다른 사람이 신청했을 수 있습니다. 계정의 비밀번호를 새로 정하십시오.',
    },
    undo: {
      title: '이메일 주소 변경 취소',
      lead: '계정에서 이 이메일 주소를 그대로 사용하거나 다시 사용하며, 모든 기기에서 로그아웃됩니다.',
      request: '주소 변경을 알리는 이메일의 링크 전체를 여십시오.',
      act: '변경 취소',
    },
  },
};
