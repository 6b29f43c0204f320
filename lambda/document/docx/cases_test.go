package docx

// byHand are documents written by hand, each with its text, and a quote to comment on.
var byHand = []struct {
	name, body  string
	parts       map[string]string
	want, quote string
	left        string
}{
	{
		name: "tracked changes",
		body: `<p><r><t xml:space="preserve">The fee is </t></r><del id="1" author="Ann" date="2026-03-01T10:00:00Z"><r><delText>100</delText></r></del>` +
			`<ins id="2" author="Ben" date="2026-03-02T09:30:00Z"><r><t>120</t></r><del id="3" author="Ann" date="2026-03-03T08:00:00Z"><r><delText xml:space="preserve"> net</delText></r></del></ins>` +
			`<r><t xml:space="preserve"> euros a month.</t></r></p>` +
			`<p><pPr><rPr><del id="4" author="Ann" date="2026-03-01T10:00:00Z"/></rPr></pPr><del id="5" author="Ann" date="2026-03-01T10:00:00Z"><r><delText>Gone.</delText></r></del></p>` +
			`<p><pPr><rPr><del id="6" author="Ann" date="2026-03-01T10:00:00Z"/></rPr></pPr><r><t xml:space="preserve">One </t></r></p><p><r><t>sentence.</t></r></p>`,
		want: "The fee is 120 euros a month.\n\nOne sentence.", quote: "is 120 euros",
	},
	{
		name: "moves and deleted rows",
		body: `<p><moveFrom id="1" author="Ann" date="2026-03-01T10:00:00Z"><r><t>It moved.</t></r></moveFrom><r><t>It stays.</t></r></p>` +
			`<tbl><tr><trPr><del id="2" author="Ben" date="2026-03-01T10:00:00Z"/></trPr><tc><p><r><t>old</t></r></p></tc></tr>` +
			`<tr><tc><p/></tc><tc><p><r><t>new</t></r></p></tc><tc><p><r><t>row</t></r></p></tc></tr>` +
			`<tr><tc><p><r><t>A</t></r></p></tc><tc><p><r><t>B</t></r></p><p><r><t>C</t></r></p></tc></tr></tbl>` +
			`<p><moveTo id="3" author="Ann" date="2026-03-01T10:00:00Z"><r><rPr><b/></rPr><t>It moved.</t></r></moveTo></p>`,
		want: "It stays.\n\nnew\trow\nA\n\nB\n\nC\n\nIt moved.", quote: "moved",
	},
	{
		name: "nested tables",
		body: `<p><r><t>Prices</t></r></p><tbl><tr><tc><p><r><t>Item</t></r></p></tc><tc><p><r><t>Price</t></r></p></tc></tr>` +
			`<tr><tc><p><r><t>Kettle</t></r></p></tc><tc><p><r><t>12.50</t></r></p></tc></tr></tbl>` +
			`<tbl><tr><tc><p><r><t>Outer</t></r></p><tbl><tr><tc><p><r><t>in 1</t></r></p></tc><tc><p><r><t>in 2</t></r></p></tc></tr></tbl><p/></tc>` +
			`<tc><p><r><t>First.</t></r></p><p><r><t>Second.</t></r></p></tc></tr></tbl><p><r><t>End.</t></r></p>`,
		want: "Prices\n\nItem\tPrice\nKettle\t12.50\n\nOuter\n\nin 1\tin 2\n\nFirst.\n\nSecond.\n\nEnd.", quote: "Kettle\t12",
	},
	{
		name: "numbers in legal style",
		body: `<p><pPr><pStyle val="H1"/></pPr><r><t>Definitions</t></r></p><p><pPr><pStyle val="H2"/></pPr><r><t>Term.</t></r></p>` +
			`<p><pPr><pStyle val="H1"/></pPr><r><t>Liability</t></r></p><p><pPr><pStyle val="H2"/></pPr><r><t>Cap.</t></r></p>` +
			`<p><pPr><pStyle val="H2"/></pPr><r><t>Except</t></r></p><p><pPr><numPr><ilvl val="2"/><numId val="1"/></numPr></pPr><r><t>death;</t></r></p>` +
			`<p><pPr><pStyle val="H2"/><numPr><ilvl val="2"/></numPr></pPr><r><t>fraud.</t></r></p><p><pPr><pStyle val="H2"/><numPr><numId val="0"/></numPr></pPr><r><t>Unnumbered.</t></r></p>` +
			`<p><pPr><numPr><ilvl val="3"/><numId val="1"/></numPr></pPr><r><t>Deep.</t></r></p>` +
			`<p><pPr><numPr><numId val="2"/></numPr></pPr><r><t>Anew.</t></r></p><p><pPr><pStyle val="H2"/></pPr><r><t>After.</t></r></p>`,
		parts: map[string]string{
			"styles": `<style type="paragraph" styleId="H1"><pPr><numPr><numId val="1"/></numPr><outlineLvl val="0"/></pPr></style>` +
				`<style type="paragraph" styleId="H2"><basedOn val="H1"/><pPr><numPr><ilvl val="7"/></numPr></pPr></style>`,
			"numbering": `<abstractNum abstractNumId="4"><lvl ilvl="0"><start val="14"/><numFmt val="upperRoman"/><pStyle val="H1"/><lvlText val="%1."/></lvl>` +
				`<lvl ilvl="1"><start val="1"/><numFmt val="decimal"/><pStyle val="H2"/><isLgl/><lvlText val="%1.%2"/></lvl>` +
				`<lvl ilvl="2"><start val="1"/><numFmt val="lowerLetter"/><lvlText val="%1.%2(%3)"/></lvl>` +
				`<lvl ilvl="3"><start val="2"/><numFmt val="lowerRoman"/><suff val="nothing"/><lvlText val="(%4)"/></lvl></abstractNum>` +
				`<num numId="1"><abstractNumId val="4"/></num><num numId="2"><abstractNumId val="4"/><lvlOverride ilvl="0"><startOverride val="3"/></lvlOverride></num>`,
		},
		want: "XIV. Definitions\n\n14.1 Term.\n\nXV. Liability\n\n15.1 Cap.\n\n15.2 Except\n\nXV.2(a) death;\n\nXV.2(b) fraud.\n\n# Unnumbered.\n\n" +
			"(ii) Deep.\n\nIII. Anew.\n\n3.1 After.",
		quote: "15.2 Except",
	},
	{
		name: "other numbers",
		body: `<p><pPr><numPr><numId val="1"/></numPr></pPr><r><t>Ends</t></r></p><p><pPr><numPr><ilvl val="1"/><numId val="1"/></numPr></pPr><r><t>bullet</t></r></p>` +
			`<p><pPr><numPr><numId val="1"/></numPr></pPr></p><p><pPr><numPr><ilvl val="2"/><numId val="1"/></numPr></pPr><r><t>zero</t></r></p>` +
			`<p><pPr><numPr><numId val="1"/></numPr><rPr><del id="1" author="A"/></rPr></pPr><del id="2" author="A"><r><delText>gone</delText></r></del></p>` +
			`<p><pPr><numPr><numId val="1"/></numPr></pPr><r><t>next</t></r></p><p><pPr><numPr><ilvl val="2"/><numId val="1"/></numPr></pPr><r><t>goes on</t></r></p>` +
			`<p><pPr><numPr><numId val="7"/></numPr></pPr><r><t>by a style</t></r></p>` +
			`<p><pPr><numPr><numId val="1"/></numPr><rPr><del id="3" author="A"/></rPr></pPr><r><t xml:space="preserve">two </t></r></p><p><pPr><numPr><numId val="1"/></numPr></pPr><r><t>halves</t></r></p>` +
			`<p><pPr><numPr><numId val="1"/></numPr></pPr><r><t>last</t></r></p>`,
		parts: map[string]string{"numbering": `<abstractNum abstractNumId="1"><lvl ilvl="0"><start val="1"/><numFmt val="ordinalText"/><lvlText val="The %1:"/></lvl>` +
			`<lvl ilvl="1"><start val="1"/><numFmt val="bullet"/><lvlText val="&#xF0B7;"/></lvl>` +
			`<lvl ilvl="2"><start val="1"/><lvlRestart val="0"/><numFmt val="decimalZero"/><lvlText val="[%3]"/></lvl></abstractNum>` +
			`<abstractNum abstractNumId="2"><styleLink val="L"/><lvl ilvl="0"><start val="28"/><numFmt val="upperLetter"/><suff val="space"/><lvlText val="%1)"/></lvl></abstractNum>` +
			`<abstractNum abstractNumId="3"><numStyleLink val="L"/></abstractNum>` +
			`<num numId="1"><abstractNumId val="1"/></num><num numId="7"><abstractNumId val="3"/></num>`},
		want:  "The First: Ends\n\n• bullet\n\nThe Second:\n\n[01] zero\n\nThe Third: next\n\n[02] goes on\n\nBB) by a style\n\nThe Fourth: two halves\n\nThe Fifth: last",
		quote: "goes on",
	},
	{
		name: "notes",
		body: `<p><r><t>Price</t></r><r><footnoteReference id="2"/></r><r><t xml:space="preserve"> and term</t></r><r><endnoteReference id="5"/></r><r><t>.</t></r></p>` +
			`<tbl><tr><tc><p><r><t>Cell</t></r><r><footnoteReference id="3"/></r></p></tc></tr></tbl><p><r><t>Starred</t></r><r><footnoteReference id="4" customMarkFollows="1"/><t>*</t></r></p>`,
		parts: map[string]string{
			"footnotes": `<footnote id="2"><p><r><footnoteRef/></r><r><t xml:space="preserve">Plus tax.</t></r></p><p><r><t>Each year.</t></r></p></footnote>` +
				`<footnote id="3"><p><r><t>Net.</t></r></p></footnote><footnote id="4"><p><r><t>* A star.</t></r></p></footnote>`,
			"endnotes": `<endnote id="5"><p><r><endnoteRef/></r><r><t>Three years.</t></r></p></endnote>`,
		},
		want: "Price[1] and term[i].\n\n[1] Plus tax.\n\nEach year.\n\n[i] Three years.\n\nCell[2]\n\n[2] Net.\n\nStarred*\n\n* A star.", quote: "Plus tax.",
	},
	{
		name: "fields",
		body: `<p><r><t xml:space="preserve">See </t></r><r><fldChar fldCharType="begin"/></r><r><instrText xml:space="preserve"> REF _Ref1 \r \h </instrText></r>` +
			`<r><fldChar fldCharType="separate"/></r><r><t>clause 4.2</t></r><r><fldChar fldCharType="end"/></r><r><t xml:space="preserve"> of </t></r>` +
			`<fldSimple instr=" DOCPROPERTY x "><r><t>the Lease</t></r></fldSimple><r><t>.</t></r></p>` +
			`<p><r><fldChar fldCharType="begin"/></r><r><instrText>IF </instrText></r><r><fldChar fldCharType="begin"/></r><r><instrText>PAGE</instrText></r><r><fldChar fldCharType="separate"/></r>` +
			`<r><t>7</t></r><r><fldChar fldCharType="end"/></r><r><t>&gt; 5</t></r><r><fldChar fldCharType="separate"/></r><r><t>long</t></r><r><fldChar fldCharType="end"/></r><r><fldChar fldCharType="begin"/></r><r><t xml:space="preserve"> unclosed</t></r></p>` +
			`<p><r><fldChar fldCharType="begin"><ffData><checkBox><default val="0"/><checked/></checkBox></ffData></fldChar></r><r><instrText xml:space="preserve"> FORMCHECKBOX </instrText></r><r><fldChar fldCharType="end"/></r><r><t xml:space="preserve"> yes </t></r>` +
			`<r><fldChar fldCharType="begin"><ffData><ddList><result val="1"/><listEntry val="Rome"/><listEntry val="Oslo"/></ddList></ffData></fldChar></r><r><instrText> FORMDROPDOWN </instrText></r><r><fldChar fldCharType="end"/></r></p>`,
		want: "See clause 4.2 of the Lease.\n\nlong unclosed\n\n☒ yes Oslo", quote: "of the Lease",
	},
	{
		name: "text boxes",
		body: `<p><r><t>Before </t></r><r><mc:AlternateContent><mc:Choice Requires="wps"><drawing><wp:inline><wp:docPr id="1" name="b"/><a:graphic><a:graphicData><wps:wsp><wps:txbx><txbxContent><p><r><t>In the box.</t></r></p><p><r><t>Twice.</t></r></p></txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:inline></drawing></mc:Choice>` +
			`<mc:Fallback><pict><v:textbox><txbxContent><p><r><t>In the box.</t></r></p></txbxContent></v:textbox></pict></mc:Fallback></mc:AlternateContent></r><r><t xml:space="preserve"> the box.</t></r></p>` +
			`<p><r><mc:AlternateContent><mc:Choice Requires="cx"><drawing><t>newer</t></drawing></mc:Choice><mc:Fallback><pict><v:textbox><txbxContent><p><r><t>Older.</t></r></p></txbxContent></v:textbox></pict></mc:Fallback></mc:AlternateContent></r></p><p><r><t>End.</t></r></p>`,
		want: "Before the box.\n\nIn the box.\n\nTwice.\n\nOlder.\n\nEnd.", quote: "In the box.",
	},
	{
		name: "controls and characters",
		body: `<sdt><sdtPr><alias val="no"/></sdtPr><sdtContent><p><r><t>Dear</t></r><r><tab/><t>Kim</t><br/><t>of Non</t><noBreakHyphen/><t>Stop</t></r>` +
			`<sdt><sdtPr/><sdtContent><r><t>, “Inc” &amp; Co</t></r></sdtContent></sdt><hyperlink anchor="x"><r><t xml:space="preserve"> §&#160;5</t></r></hyperlink><smartTag element="d"><r><t>!</t></r></smartTag>` +
			`<r><sym font="Wingdings" char="F0FE"/></r><r><sym font="Arial" char="00A7"/></r><r><sym font="Webdings" char="F001"/></r></p></sdtContent></sdt>`,
		want: "Dear\tKim\nof Non-Stop, “Inc” & Co §\u00a05!☑§\ufffd", quote: "“Inc” & Co",
	},
	{
		name: "hidden text and what is left out",
		body: `<p><pPr><pStyle val="N"/></pPr><r><rPr><vanish/></rPr><t>secret</t></r><r><t>Seen</t></r><r><rPr><rStyle val="V"/></rPr><t>12</t></r><r><rPr><rStyle val="V"/><vanish val="0"/></rPr><t>, too</t></r><r><drawing><pic:pic/></drawing></r><r><object/></r></p>` +
			`<p><pPr><rPr><vanish/><specVanish/></rPr></pPr><r><t>Heading.</t></r></p><p><r><t xml:space="preserve"> Run in.</t></r></p><altChunk/>`,
		parts: map[string]string{"styles": `<style type="character" styleId="V"><rPr><vanish/></rPr></style>`, "header": `<p><r><t>Draft</t></r></p>`},
		want:  "Seen, too\n\nHeading. Run in.", quote: "Heading. Run",
		left: "1 picture, 1 embedded object, 1 embedded document, 1 header or footer, 8 characters of hidden text",
	},
	{
		name: "comments that it has",
		body: `<p><r><t xml:space="preserve">A </t></r><commentRangeStart id="7"/><r><t>bold</t></r><commentRangeEnd id="7"/><r><commentReference id="7"/></r><r><t xml:space="preserve"> claim.</t></r></p>` +
			`<commentRangeStart id="8"/><p><r><t>Next.</t></r></p><commentRangeEnd id="8"/><p><r><commentReference id="8"/></r></p>`,
		parts: map[string]string{"comments": `<comment id="7" author="Ann" date="2026-01-02T03:04:05Z" initials="A"><p><r><annotationRef/></r><r><t>Is it?</t></r></p><p><r><t>Check.</t></r></p></comment><comment id="8" author="Ben"><p><r><t>Yes</t></r></p></comment>`},
		want:  "A bold claim.\n\nNext.", quote: "bold claim",
	},
	{
		name: "composed across runs",
		body: `<p><pPr><outlineLvl val="1"/></pPr><r><t>Prix</t></r></p><p><r><t>cafe</t></r><r><rPr><i/></rPr><t>&#x301; cre&#x300;me de&#xAD; la` + "\u200b" + ` rive</t></r><m:oMath><m:r><m:t>x=2</m:t></m:r></m:oMath>` +
			`<r><t><![CDATA[ <3]]></t></r><r><t>   trimmed ` + "\n" + ` </t></r></p>`,
		want: "## Prix\n\ncafé crème de la rivex=2 <3trimmed", quote: "crème de la rive",
	},
}

// made are documents written by LibreOffice from the text documents next to them:
//
//	soffice --headless --convert-to "docx:MS Word 2007 XML" testdata/made/*.fodt
//
// The texts were written by hand together with the sources.
var made = []struct{ name, want, quote string }{
	{"headings", "1. Premises\n\nHarbour Mill Ltd lets the mill to Quay Bakers.\n\n2. Rent\n\n2.1 The rent is EUR 900 a " +
		"month.\n\n2.2 It is due on the first, except\n\n(a) in August; and\n\n(b) if the mill burns down.\n\n2.3 " +
		"Interest is 5 %.\n\n3. End\n\nClause 2.2(b) survives.", "in August; and"},
	{"tracked", "Pay within sixty days.\n\nThe rest stands.", "within sixty days"},
	{"comments", "The supplier shall deliver in May.\n\nAll risks pass.", "deliver in May"},
	{"notes", "The price[1] is fixed[i] for a year[2].\n\n[1] Without tax.\n\n[i] Until 2028.\n\n[2] Of 365 days.\n\nLeap " +
		"years too.\n\nNext clause.", "Leap years too."},
	{"tables", "Schedule\n\nPart\tQty\tPrice\nOven\t2\t800.00\n3\t1,100.00\nDelivery\t50.00\n\nTwo languages:\n\nThe lessee " +
		"shall insure the oven against fire, flood, theft and every other risk that the lessor names in " +
		"writing.\n\nDer Mieter versichert den Ofen gegen Feuer, Wasser, Diebstahl und jede andere Gefahr, die der " +
		"Vermieter schriftlich nennt.\n\nHead\n\na\tb\n\ntail\n\nDone.", "800.00"},
	{"lists", "I. Seller\n\nII. Buyer\n\n§ 1: first buyer\n\n§ 2: second buyer\n\n- a shop\n\nBetween lists.\n\nIII. " +
		"Goods\n\n§ 1: bread\n\nIX. Price\n\nI. Again\n\nNo number here.\n\nII. Last", "second buyer"},
	{"boxes", "The notice is binding.\n\nMind the dog.\n\nIt bites.\n\nIt ends in June.", "the dog"},
	{"fields", "Scope\t1\n\nFees\t2\n\n# Scope\n\nSigned by Ida Holm, see our site.\n\n# Fees\n\nPage 1 has table 1.", "our site"},
	{"signs", "Tel.\t040  12-34\nMüller & Söhne “GmbH” ≥ 5 €\n\nNew page, café.\n\nIn a section.", "Söhne “GmbH”"},
	{"everything", "I. The cap is EUR 20,000[1] in all.\n\n[1] In a year.\n\nII. No cap for fraud.", "EUR 20,000"},
}
