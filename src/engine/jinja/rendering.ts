import type { TrustedTemplate } from '../values.ts';
import { TemplateError } from './errors.ts';

/** The templates that are being rendered, from the outermost in. */
export class Rendering {
  readonly #templates = new Set<TrustedTemplate>();

  /** Runs the rendering of a template. Throws TemplateError where the template needs itself. */
  run<T>(template: TrustedTemplate, render: () => T): T {
    if (this.#templates.has(template)) throw new TemplateError(this.#loopMessage(template));
    this.#templates.add(template);
    try {
      return render();
    } finally {
      this.#templates.delete(template);
    }
  }

  #loopMessage(again: TrustedTemplate): string {
    const texts = [...this.#templates, again].map(({ text }) => shortened(text));
    const loop = texts.slice(texts.indexOf(shortened(again.text)));
    return `recursive loop of templates: ${loop.join(' -> ')}`;
  }
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
