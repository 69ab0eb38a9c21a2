//! Real names, as the built-in rules show them.

use residue_names::{Action, FrameName, NameStyle, Rules, Shown};

fn show(rules: &Rules, linkage: &str, style: NameStyle) -> Shown {
    let frame = FrameName {
        linkage,
        module: "",
        file: "",
    };
    rules.show(&frame, style)
}

fn short(linkage: &str) -> String {
    show(&Rules::builtin(), linkage, NameStyle::Short).name
}

/// From a program compiled by GCC 12.
const CPP: &[(&str, &str)] = &[
    (
        "_ZNSt6vectorISt4pairINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEdESaIS7_EE17_M_realloc_insertIJRA2_KcdEEEvN9__gnu_cxx17__normal_iteratorIPS7_S9_EEDpOT_",
        "vector<pair<string, double>>::_M_realloc_insert<…>",
    ),
    (
        "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEixEm",
        "string::operator[]",
    ),
    (
        "_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiSt4lessIS5_ESaISt4pairIKS5_iEEEixEOS5_",
        "map<string, int>::operator[]",
    ),
    (
        "_ZNSt23_Sp_counted_ptr_inplaceISt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEN3edm3HitESt4lessIS6_ESaISt4pairIKS6_S8_EEESaIvELN9__gnu_cxx12_Lock_policyE2EE14_M_get_deleterERKSt9type_info",
        "_Sp_counted_ptr_inplace<map<string, edm::Hit>>::_M_get_deleter",
    ),
    (
        "_ZNSt14_Function_base13_Base_managerIZN3edm8Producer7produceEvEUlRKSt6vectorINS1_3HitESaIS4_EERSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiSt4lessISF_ESaISt4pairIKSF_iEEEE_E10_M_destroyERSt9_Any_dataSt17integral_constantIbLb1EE",
        "_Function_base::_Base_manager<edm::Producer::produce::{lambda(vector<…> const&, map<…>&)#1}>::_M_destroy",
    ),
    (
        "_ZSt4swapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEdENSt9enable_ifIXsrSt6__and_IJSt14__is_swappableIT_ES8_IT0_EEE5valueEvE4typeERSt4pairIS9_SB_ESI_",
        "swap<string, double>",
    ),
    (
        "_ZNSt14__shared_countILN9__gnu_cxx12_Lock_policyE2EED1Ev",
        "__shared_count<…>::~__shared_count",
    ),
    (
        "_ZN3edm12_GLOBAL__N_15Local2goEv",
        "edm::(anonymous namespace)::Local::go",
    ),
    ("_ZNKSt6locale4nameB5cxx11Ev", "locale::name"),
    ("_ZlsRSoRKSt9type_info", "operator<<"),
    (
        "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
        "operator<< <char_traits<char>>",
    ),
    ("_ZThn16_NSt9strstreamD1Ev", "strstream::~strstream"),
    (
        "_ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale",
        "use_facet<ctype<char>>",
    ),
    ("_ZN1AcvSt6vectorIiSaIiEEEv", "A::operator vector<int>"),
    ("_ZN1BILm3ELb1EE1fEv", "B<3, true>::f"),
    ("_ZN1CImE1fEv.cold", "C<ulong>::f"),
    ("parse.part.0", "parse"),
    ("main", "main"),
    (
        "_ZNSt5queueIiSt5dequeIiSaIiEEE4pushERKi",
        "queue<int>::push",
    ),
    // Arguments that are not the defaults stay.
    (
        "_ZNSt3mapIiiSt4lessIvESaISt4pairIKiiEEEixERS2_",
        "map<int, int, less<void>>::operator[]",
    ),
    ("_ZNSt4pairIiSaIiEEC1Ev", "pair<int, allocator<int>>::pair"),
    (
        "_ZNSt6vectorIi7MyAllocIiEE9push_backERKi",
        "vector<int, MyAlloc<int>>::push_back",
    ),
    (
        "_ZN5Eigen6MatrixIdLin1ELin1ELi0ELin1ELin1EEC1Ev",
        "Eigen::Matrix<…>::Matrix",
    ),
    (
        "_ZNSt3__16vectorIiNS_9allocatorIiEEE9push_backERKi",
        "vector<int>::push_back",
    ),
];

#[test]
fn cpp() {
    for (linkage, expected) in CPP {
        assert_eq!(short(linkage), *expected, "{linkage}");
    }
}

#[test]
fn rust() {
    for (linkage, expected) in [
        (
            "_ZN67_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..clone..Clone$GT$5clone17h0123456789abcdefE",
            "<Vec<T,A> as Clone>::clone",
        ),
        (
            "_ZN3std6thread5spawn17h0123456789abcdefE.llvm.99",
            "thread::spawn",
        ),
        ("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"),
        (
            "_RNvMNtCs1234_5alloc3vecINtB2_3VechE4pushCs5678_7mycrate",
            "<Vec<u8>>::push",
        ),
    ] {
        assert_eq!(short(linkage), expected, "{linkage}");
    }
}

#[test]
fn styles() {
    let linkage = "_ZNSt6vectorIiSaIiEE9push_backERKi.cold";
    let rules = Rules::builtin();
    let name = |rules: &Rules, style| show(rules, linkage, style).name;
    assert_eq!(name(&rules, NameStyle::Short), "vector<int>::push_back");
    let no_params = "std::vector<int, std::allocator<int> >::push_back [.cold]";
    assert_eq!(name(&rules, NameStyle::NoParams), no_params);
    assert_eq!(
        name(&rules, NameStyle::Full),
        "std::vector<int, std::allocator<int> >::push_back(int const&) [.cold]"
    );
    assert_eq!(name(&Rules::none(), NameStyle::Short), no_params);
}

#[test]
fn control_characters_never_pass() {
    for style in [NameStyle::Short, NameStyle::NoParams, NameStyle::Full] {
        let shown = show(&Rules::builtin(), "a\u{1b}[31m\n\u{9b}b", style);
        assert_eq!(shown.name, "a[31mb");
    }
    assert_eq!(short("größe"), "größe");
}

/// What each frame of a real stack becomes.
#[test]
fn actions() {
    let rules = Rules::builtin();
    for (linkage, action, is_framework) in [
        ("malloc", Action::Hide, false),
        ("malloc@plt", Action::Hide, false),
        ("calloc", Action::Hide, false),
        ("_Znwm", Action::Hide, false),
        ("_ZnamSt11align_val_t", Action::Hide, false),
        ("_ZN7TObjectnwEm", Action::Hide, false),
        (
            "_ZNSt12_Vector_baseIN3edm3HitESaIS1_EE11_M_allocateEm",
            Action::Hide,
            false,
        ),
        (
            "_ZNSt16allocator_traitsISaIiEE8allocateERS0_m",
            Action::Hide,
            false,
        ),
        (
            "_ZNSt15__new_allocatorIiE8allocateEmPKv",
            Action::Hide,
            false,
        ),
        (
            "_ZN9__gnu_cxx13new_allocatorIiE8allocateEmPKv",
            Action::Hide,
            false,
        ),
        (
            "_ZSt13__invoke_implIvRFvvEJEET_St14__invoke_otherOT0_DpOT1_",
            Action::Hide,
            false,
        ),
        ("je_malloc", Action::Hide, false),
        ("_mi_malloc_generic", Action::Hide, false),
        ("g_malloc0", Action::Hide, false),
        ("PyObject_Malloc", Action::Hide, false),
        ("_RNvCs1234_7___rustc12___rust_alloc", Action::Hide, false),
        (
            "_ZN5alloc5alloc15exchange_malloc17h0123456789abcdefE",
            Action::Hide,
            false,
        ),
        (
            "_ZN5alloc7raw_vec11finish_grow17h0123456789abcdefE",
            Action::Hide,
            false,
        ),
        (
            "_ZN4core3ops8function6FnOnce9call_once17h0123456789abcdefE",
            Action::Hide,
            false,
        ),
        (
            "_ZN3std2rt10lang_start17h0123456789abcdefE",
            Action::Keep,
            true,
        ),
        ("_ZNSt6vectorIiSaIiEE9push_backERKi", Action::Keep, false),
        ("_ZN6TClass10GetClassInEPKc", Action::CollapseBelow, false),
        ("_ZN8TFormula7CompileEPKc", Action::CollapseBelow, false),
        (
            "_ZN5cling11Interpreter7processEv",
            Action::CollapseBelow,
            false,
        ),
        ("_ZN5boost6spirit2qi5parseEv", Action::CollapseBelow, false),
        (
            "_ZNSt8__detail9_CompilerINSt7__cxx1112regex_traitsIcEEE12_M_assertionEv",
            Action::CollapseBelow,
            false,
        ),
        (
            "_ZN3tbb6detail2d113function_taskI6LambdaE7executeERNS1_14execution_dataE",
            Action::CutAbove,
            true,
        ),
        ("_PyEval_EvalFrameDefault", Action::MergeLibrary, false),
        ("_PyFunction_Vectorcall", Action::MergeLibrary, false),
        ("_PyObject_MakeTpCall", Action::MergeLibrary, false),
        ("PyList_Append", Action::Keep, false),
        ("__libc_start_main_impl", Action::Keep, true),
        ("_start", Action::Keep, true),
        ("start_thread", Action::Keep, true),
        ("main", Action::Keep, false),
    ] {
        for style in [NameStyle::Short, NameStyle::NoParams, NameStyle::Full] {
            let shown = show(&rules, linkage, style);
            assert_eq!(
                (shown.action, shown.is_framework),
                (action, is_framework),
                "{linkage}"
            );
            if action == Action::MergeLibrary {
                assert_eq!(shown.name, "[python]");
            }
        }
    }
}
