/** The writing styles that everyone can use. */
export const WRITING_STYLES = ['FRIENDLY', 'PROFESSIONAL', 'SHORT_FORM'] as const;

export type WritingStyle = (typeof WRITING_STYLES)[number];
