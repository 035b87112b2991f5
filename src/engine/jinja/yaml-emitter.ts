import { type EmitterStyle, isSimpleKey, type ScalarStyle, type YamlNode } from './yaml-nodes.ts';
import { analyzeScalar, escapeCharacter, isPrintable, literalHeader } from './yaml-scalar-style.ts';

type Scalar = Extract<YamlNode, { readonly kind: 'scalar' }>;
type Sequence = Extract<YamlNode, { readonly kind: 'sequence' }>;
type Mapping = Extract<YamlNode, { readonly kind: 'mapping' }>;

interface Context {
  readonly inMapping?: boolean;
  readonly isKey?: boolean;
}

/** Writes one document the way libyaml does, which is the way of Ansible's to_yaml. */
export class YamlEmitter {
  readonly #style: EmitterStyle;
  readonly #bestIndent: number;
  readonly #bestWidth: number;
  #out = '';
  #column = 0;
  #indent = -1;
  #flowLevel = 0;
  readonly #written = new Set<YamlNode>();
  #whitespace = true;
  #indention = true;

  constructor(style: EmitterStyle) {
    this.#style = style;
    this.#bestIndent = style.indent >= 2 && style.indent <= 9 ? style.indent : 2;
    const tooSmall = style.width >= 0 && style.width <= this.#bestIndent * 2;
    this.#bestWidth = style.width < 0 ? Number.POSITIVE_INFINITY : tooSmall ? 80 : style.width;
  }

  emit(node: YamlNode): string {
    if (this.#style.explicitStart) {
      this.#writeIndent();
      this.#indicator('---', { needsSpace: true });
    }
    this.#node(node, {});
    this.#writeIndent();
    if (this.#style.explicitEnd) {
      this.#indicator('...', { needsSpace: true });
      this.#writeIndent();
    }
    return this.#out;
  }

  #put(text: string): void {
    this.#out += text;
    this.#column += 1;
  }

  #break(): void {
    this.#out += '\n';
    this.#column = 0;
  }

  #writeIndent(): void {
    const indent = Math.max(0, this.#indent);
    const isFull = this.#column > indent || (this.#column === indent && !this.#whitespace);
    if (!this.#indention || isFull) this.#break();
    while (this.#column < indent) this.#put(' ');
    this.#whitespace = true;
    this.#indention = true;
  }

  #indicator(
    text: string,
    {
      needsSpace = false,
      isSpace = false,
      isIndention = false,
    }: { needsSpace?: boolean; isSpace?: boolean; isIndention?: boolean },
  ): void {
    if (needsSpace && !this.#whitespace) this.#put(' ');
    for (const char of text) this.#put(char);
    this.#whitespace = isSpace;
    this.#indention = this.#indention && isIndention;
  }

  #indented(flow: boolean, indentless: boolean, write: () => void): void {
    const before = this.#indent;
    if (before < 0) this.#indent = flow ? this.#bestIndent : 0;
    else if (!indentless) this.#indent += this.#bestIndent;
    write();
    this.#indent = before;
  }

  #node(node: YamlNode, context: Context): void {
    if (node.kind !== 'scalar' && node.anchor !== undefined) {
      const isKnown = this.#written.has(node);
      this.#indicator(`${isKnown ? '*' : '&'}${node.anchor}`, { needsSpace: true });
      if (isKnown) return;
      this.#written.add(node);
    }
    if (node.kind === 'scalar') this.#scalar(node, context);
    else if (node.kind === 'sequence') this.#sequence(node, context);
    else this.#mapping(node);
  }

  #sequence(node: Sequence, { inMapping = false }: Context): void {
    if (this.#flowLevel > 0 || node.flow || node.items.length === 0) {
      this.#flow('[', ']', node.items, (item) => this.#node(item, {}));
      return;
    }
    this.#indented(false, inMapping && !this.#indention, () => {
      for (const item of node.items) {
        this.#writeIndent();
        this.#indicator('-', { needsSpace: true, isIndention: true });
        this.#node(item, {});
      }
    });
  }

  #mapping(node: Mapping): void {
    if (this.#flowLevel > 0 || node.flow || node.members.length === 0) {
      this.#flow('{', '}', node.members, (member) => this.#flowMember(member));
      return;
    }
    this.#indented(false, false, () => {
      for (const member of node.members) {
        this.#writeIndent();
        this.#blockMember(member);
      }
    });
  }

  #flow<T>(open: string, close: string, items: readonly T[], write: (item: T) => void): void {
    this.#indicator(open, { needsSpace: true, isSpace: true });
    this.#flowLevel += 1;
    this.#indented(true, false, () => {
      items.forEach((item, index) => {
        if (index > 0) this.#indicator(',', {});
        if (this.#column > this.#bestWidth) this.#writeIndent();
        write(item);
      });
      this.#flowLevel -= 1;
    });
    this.#indicator(close, {});
  }

  #flowMember([key, value]: readonly [YamlNode, YamlNode]): void {
    if (isSimpleKey(key)) {
      this.#node(key, { inMapping: true, isKey: true });
      this.#indicator(':', {});
    } else {
      this.#indicator('?', { needsSpace: true });
      this.#node(key, { inMapping: true });
      if (this.#column > this.#bestWidth) this.#writeIndent();
      this.#indicator(':', { needsSpace: true });
    }
    this.#node(value, { inMapping: true });
  }

  #blockMember([key, value]: readonly [YamlNode, YamlNode]): void {
    if (isSimpleKey(key)) {
      this.#node(key, { inMapping: true, isKey: true });
      this.#indicator(':', {});
    } else {
      this.#indicator('?', { needsSpace: true, isIndention: true });
      this.#node(key, { inMapping: true });
      this.#writeIndent();
      this.#indicator(':', { needsSpace: true, isIndention: true });
    }
    this.#node(value, { inMapping: true });
  }

  #scalar(node: Scalar, { isKey = false }: Context): void {
    if (node.style === 'literal' && this.#flowLevel === 0) {
      this.#literal(node);
      return;
    }
    const style = this.#chooseStyle(node, isKey);
    if (node.tag !== undefined && (style !== 'plain' || !node.plainAllowed)) {
      this.#indicator(node.tag, { needsSpace: true });
    }
    this.#indented(true, false, () => {
      if (style === 'plain') this.#plain(node.text, !isKey);
      else if (style === 'single') this.#single(node.text, !isKey);
      else this.#double(node.text, !isKey);
    });
  }

  #literal({ tag, text }: Scalar): void {
    if (tag !== undefined) this.#indicator(tag, { needsSpace: true });
    this.#indicator(literalHeader(text, this.#bestIndent), { needsSpace: true });
    this.#indented(false, false, () => {
      for (const line of text.replace(/\n$/, '').split('\n')) {
        this.#indention = false;
        if (line === '') this.#break();
        else this.#writeIndent();
        this.#indicator(line, {});
      }
    });
  }

  #chooseStyle(node: Scalar, isKey: boolean): ScalarStyle {
    const analysis = analyzeScalar(node.text);
    const wanted =
      (isKey && analysis.multiline) || node.style === 'double'
        ? 'double'
        : this.#style.defaultStyle;
    const style = wanted === 'plain' && !this.#fitsPlain(node, isKey) ? 'single' : wanted;
    return style === 'single' && !analysis.singleQuoted ? 'double' : style;
  }

  #fitsPlain({ text, plainAllowed, tag }: Scalar, isKey: boolean): boolean {
    const inFlow = this.#flowLevel > 0;
    if (text === '' && (inFlow || isKey)) return false;
    if (!plainAllowed && tag === undefined) return false;
    const analysis = analyzeScalar(text);
    return inFlow ? analysis.flowPlain : analysis.blockPlain;
  }

  #plain(text: string, mayBreak: boolean): void {
    if (!this.#whitespace && (text !== '' || this.#flowLevel > 0)) this.#put(' ');
    this.#folded(text, mayBreak, false);
    this.#whitespace = false;
    this.#indention = false;
  }

  #single(text: string, mayBreak: boolean): void {
    this.#indicator("'", { needsSpace: true });
    const endsInBreak = this.#folded(text, mayBreak, true);
    if (endsInBreak) this.#writeIndent();
    this.#indicator("'", {});
    this.#whitespace = false;
    this.#indention = false;
  }

  /** Writes text whose lines may be folded at single blanks. Says whether it ended in a line break. */
  #folded(text: string, mayBreak: boolean, quoted: boolean): boolean {
    const points = Array.from(text);
    const state = { spaces: false, breaks: false };
    points.forEach((char, index) => {
      if (char === ' ') {
        const edge = quoted && (index === 0 || index === points.length - 1);
        const foldable = mayBreak && !state.spaces && !edge && points[index + 1] !== ' ';
        this.#space(foldable);
        state.spaces = true;
      } else if (char === '\n') {
        this.#lineBreak(state.breaks);
        state.breaks = true;
      } else {
        if (state.breaks) this.#writeIndent();
        this.#character(char, quoted);
        state.spaces = false;
        state.breaks = false;
      }
    });
    return state.breaks;
  }

  #space(foldable: boolean): void {
    if (foldable && this.#column > this.#bestWidth) this.#writeIndent();
    else this.#put(' ');
  }

  /** The first break of several is written twice: a single one would be read as a blank. */
  #lineBreak(isNext: boolean): void {
    if (!isNext) this.#break();
    this.#break();
    this.#indention = true;
  }

  #character(char: string, quoted: boolean): void {
    if (quoted && char === "'") this.#put("'");
    this.#put(char);
    this.#indention = false;
  }

  #double(text: string, mayBreak: boolean): void {
    this.#indicator('"', { needsSpace: true });
    const points = Array.from(text);
    points.forEach((char, index) => {
      const edge = index === 0 || index === points.length - 1;
      const follows = points[index - 1] === ' ';
      if (char !== ' ') this.#escaped(char);
      else if (mayBreak && !follows && !edge && this.#column > this.#bestWidth) {
        this.#writeIndent();
        if (points[index + 1] === ' ') this.#put('\\');
      } else this.#put(char);
    });
    this.#indicator('"', {});
    this.#whitespace = false;
    this.#indention = false;
  }

  #escaped(char: string): void {
    const plain = char !== '"' && char !== '\\' && char !== '\n' && isPrintable(char);
    for (const unit of plain ? [char] : escapeCharacter(char)) this.#put(unit);
  }
}
