import { truthy } from './compare.ts';
import { capitalize } from './methods/string-case.ts';
import { toInteger } from './numbers.ts';
import { Markup, type Runtime, type Val } from './objects.ts';

const WORDS =
  'a ac accumsan ad adipiscing aenean aliquam aliquet amet ante aptent arcu at auctor augue bibendum blandit class commodo consectetuer conubia cras cubilia cum curae cursus dapibus diam dictum dictumst dignissim dis dolor donec dui duis egestas eget eleifend elementum elit enim erat eros est et etiam eu euismod facilisi facilisis fames faucibus felis fermentum feugiat fringilla fusce gravida habitant habitasse hac hendrerit hymenaeos iaculis id imperdiet in inceptos integer interdum ipsum justo lacinia lacus laoreet lectus leo libero ligula litora lobortis lorem'.split(
    ' ',
  );

function paragraph(low: number, high: number): string {
  const count = low + Math.floor(Math.random() * Math.max(1, high - low));
  const words = Array.from(
    { length: Math.max(1, count) },
    () => WORDS[Math.floor(Math.random() * WORDS.length)] ?? 'lorem',
  );
  return `${capitalize(words.join(' '))}.`;
}

/** Jinja's lipsum(): paragraphs of placeholder text. */
export function lipsum(runtime: Runtime, count: Val, html: Val, low: Val, high: Val): Val {
  const [min, max] = [toInteger(low, 'min'), toInteger(high, 'max')];
  const paragraphs = toInteger(count, 'n');
  runtime.checkSize(paragraphs * max * 12);
  runtime.step(paragraphs);
  const texts = Array.from({ length: Math.max(0, paragraphs) }, () => paragraph(min, max));
  if (!truthy(html)) return texts.join('\n\n');
  return new Markup(texts.map((text) => `<p>${text}</p>`).join('\n'));
}
