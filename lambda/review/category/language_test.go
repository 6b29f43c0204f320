package category

import "testing"

func TestUnreadLanguage(t *testing.T) {
	t.Parallel()
	const english = "This agreement is made between the parties for the supply of goods, and it shall be governed by the law of Ontario.\n\n"
	const spanish = "El presente contrato se celebra entre las partes para el suministro de los bienes que se describen en el anexo.\n\n"
	for _, tc := range []struct {
		text, want string
		all        bool
	}{
		{english, "", false},
		{"Dieser Vertrag wird zwischen den Parteien geschlossen und regelt die Lieferung der Waren nach dem Anhang.", "", false},
		{"Le présent contrat est conclu entre les parties pour la fourniture des biens décrits dans une annexe.", "", false},
		{spanish, "Spanish", true},
		{"Il presente contratto è stipulato tra le parti per la fornitura dei beni che sono descritti nella presente.",
			"Italian", true},
		{"O presente contrato é celebrado entre as partes para o fornecimento dos bens que não são descritos em anexo.",
			"Portuguese", true},
		{"Deze overeenkomst wordt gesloten tussen de partijen voor het leveren van de goederen die in een bijlage zijn vermeld.",
			"Dutch", true},
		{"Niniejsza umowa została zawarta między stronami na dostawę towarów, które są opisane w załączniku oraz przez strony.",
			"Polish", true},
		{"Detta avtal ingås mellan parterna för leverans av varor som beskrivs i bilagan och ska gälla från den dag det är signerat.",
			"Swedish", true},
		{"Bu sözleşme taraflar arasında mal teslimi için yapılmış ve ekte yer alan bir liste ile bu şekilde imzalanmıştır.",
			"Turkish", true},
		{"Настоящий договор заключён между сторонами на поставку товаров, описанных в приложении.", "its script (Cyrillic)", true},
		{"本合同由双方签订，供应附件中所述的货物，适用中华人民共和国法律。双方应当履行本合同约定的各项义务。", "its script (Han)", true},
		{english + spanish, "Spanish", false},
		{english + english + english + "Contrato de servicios", "", false},
		{"Fees: EUR 300, EUR 500, EUR 900 / 3 x 4 / Ø 12 mm / DN 80 / PN 16", "", false},
		{"", "", false},
	} {
		if got, all := Unread(tc.text); got != tc.want || all != tc.all {
			t.Errorf("%s\ngot %q, %v, want %q, %v", tc.text, got, all, tc.want, tc.all)
		}
	}
}
