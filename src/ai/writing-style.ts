/** The built-in writing styles, available to all members. */
export const WRITING_STYLES = ['FRIENDLY', 'PROFESSIONAL', 'SHORT_FORM'] as const;

export type WritingStyle = (typeof WRITING_STYLES)[number];
