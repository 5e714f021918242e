/** Error messages about uploaded images, in Korean. */
import type { images as english } from '../en/images.js';
import type { Translation } from '../translation.js';

const EXPECTED = 'JPEG, PNG, WebP, GIF, AVIF 이미지여야 합니다.';

export const images: Translation<typeof english> = {
  imageNotFound: '이미지를 찾을 수 없습니다.',
  imageCountReached: (max) => `이미지를 최대 ${max}개까지 올릴 수 있습니다. 먼저 이미지를 삭제하십시오.`,
  imageBytesReached: (used, max) =>
    `이미지가 ${used}MiB를 사용하고 있어, 이 이미지를 더하면 최대 ${max}MiB를 넘습니다. 먼저 이미지를 삭제하십시오.`,
  imageInUse: (articleId) => `내 글 ${articleId}에서 사용하는 이미지입니다. 먼저 글의 내용에서 이미지를 빼십시오.`,
  imageInUseByOne: '내 글에서 사용하는 이미지입니다. 먼저 글의 내용에서 이미지를 빼십시오.',
  imageInUseByDraft: '내 초안에서 사용하는 이미지입니다. 먼저 초안에서 이미지를 빼십시오.',
  imageTooLarge: (mebibytes, max) => `이미지의 크기가 ${mebibytes}MiB입니다. 최대 ${max}MiB까지 받습니다.`,
  imageTooManyFrames: (frames, max) => `이미지의 프레임이 ${frames}개입니다. 최대 ${max}개까지 받습니다.`,
  imageTooManyPixels: (width, height, frames, megapixels, max) => {
    const pixels = `${width} × ${height}픽셀`;
    const size = frames > 1 ? `프레임당 ${pixels}, 프레임 ${frames}개` : pixels;
    return `이미지의 크기가 ${size}, ${megapixels}메가픽셀입니다. 최대 ${max}메가픽셀까지 받습니다.`;
  },
  imageTimeout: (format, seconds) => `${format} 이미지를 ${seconds}초 안에 처리하지 못했습니다.`,
  imageDamaged: (format) => `${format} 이미지가 손상되었거나 중간에 끊겼습니다.`,

  fileEmpty: `파일이 비어 있습니다. ${EXPECTED}`,
  fileTypeUnsupported: (kind) => `파일의 형식: ${kind}. ${EXPECTED}`,
  kindTiff: 'TIFF 이미지',
  kindBmp: 'BMP 이미지',
  kindJpegXl: 'JPEG XL 이미지',
  kindHeic: 'HEIC 이미지',
  kindVideo: '동영상',
  kindSvg: 'SVG 문서',
  kindHtml: 'HTML 페이지',
  kindPdf: 'PDF 문서',
  kindZip: 'ZIP 압축 파일',
  kindUnknown: (firstBytes) => `알 수 없음(첫 바이트: ${firstBytes})`,

  avifInvalid: (reason) => `AVIF 이미지를 사용할 수 없습니다. ${reason}.`,
  avifBytesRepeated: '같은 바이트를 되풀이하여 가리킵니다',
  avifDamaged: '손상되었거나 중간에 끊겼습니다',
  avifBoxes: (type, found) => `"${type}" 박스는 하나여야 합니다(실제 개수: ${found})`,
  avifTooManyBoxes: (max) => `한 박스 안에 박스가 ${max}개보다 많습니다`,
  avifVersion: (version) => `색인의 버전은 0에서 2까지여야 합니다(실제 버전: ${version})`,
};
