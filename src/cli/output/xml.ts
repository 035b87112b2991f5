/** An element with attributes, and either elements or text inside. */
import { table } from '../../shared/table.ts';
export function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  children: readonly string[],
  text = '',
): string {
  const head = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  const open = `<${name}${head.join('')}`;
  if (children.length > 0) return `${open}>\n${children.join('\n')}\n</${name}>`;
  return text === '' ? `${open}/>` : `${open}>${escapeXml(text)}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = table({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
});

/** Text for XML 1.0, without the control characters that it cannot hold. */
function escapeXml(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones to drop.
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])/g, '')
      .replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char)
  );
}
